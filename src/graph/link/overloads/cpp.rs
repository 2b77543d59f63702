//! Which parameters of C++ fit an argument.

use super::binding::{is_builtin, is_number};
use super::{Form, Shape};

/// Returns how well a parameter fits an argument: 0 not at all, 8 exactly.
pub(super) fn fit(form: &Form, of: Option<&Shape>) -> u32 {
    let Some(Shape { base, is_pointer, .. }) = of else {
        // A type parameter fits everything.
        return match form {
            Form::Lambda => 7,
            Form::Unknown => 3,
            _ => 5,
        };
    };
    let name = base.as_str();
    let lower = name.to_lowercase();
    let is_text = !is_pointer && (lower.starts_with("str") || lower.ends_with("string"));
    let is_plain = !is_pointer && is_builtin(name);
    let is_float = matches!(name, "float" | "double");
    match form {
        Form::Unknown => 4,
        Form::Address if *is_pointer => 6,
        Form::Address if is_plain || is_text => 0,
        Form::Address => 3,
        Form::Text if *is_pointer && name == "char" => 8,
        Form::Text if is_text => 7,
        Form::Text if is_plain || *is_pointer => 0,
        Form::Character if name == "char" && !is_pointer => 8,
        Form::Boolean if name == "bool" && !is_pointer => 8,
        Form::Integer if name == "int" && !is_pointer => 8,
        Form::Float if is_float && !is_pointer => 8,
        Form::Integer if is_number(name) && is_plain && !is_float => 7,
        Form::Integer | Form::Float | Form::Boolean | Form::Character if is_plain => 6,
        Form::Integer | Form::Float | Form::Boolean | Form::Character if *is_pointer || is_text => {
            0
        }
        Form::Null if *is_pointer || name == "nullptr_t" => 8,
        Form::Null if is_plain => 0,
        Form::Lambda if name == "function" => 8,
        Form::Lambda if is_plain || is_text => 0,
        Form::Braces if is_plain || *is_pointer => 1,
        Form::Typed(given) if given.base == *name && given.is_pointer == *is_pointer => 8,
        Form::Typed(given) if given.is_pointer != *is_pointer => {
            // A string of C converts to one of C++.
            if given.is_pointer && given.base == "char" && is_text { 7 } else { 1 }
        }
        Form::Typed(given) if is_number(&given.base) && is_number(name) => 6,
        Form::Typed(given) if is_builtin(&given.base) != is_plain => 2,
        _ => 3,
    }
}
