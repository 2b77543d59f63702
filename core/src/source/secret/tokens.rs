//! Tokens of services, by their prefixes: which characters follow, and how many.

/// What follows a prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What a reply shows instead of the token.
    pub(super) kind: &'static str,
    /// The start of the token.
    pub(super) prefix: &'static str,
    /// The characters after the prefix.
    pub(super) set: Set,
    /// The minimum and the maximum number of characters after the prefix.
    pub(super) len: (usize, usize),
    /// The certainty that the prefix gives.
    pub(super) trust: Trust,
}

/// A set of characters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Set {
    /// Hexadecimal digits.
    Hex,
    /// ASCII letters and digits.
    Alnum,
    /// Capital letters and digits.
    Upper,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// Letters, digits, `+`, `/` and `=`.
    Base64,
    /// Letters, digits, `_`, `-` and `/`.
    Path,
}

impl Set {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Set::Hex => byte.is_ascii_hexdigit(),
            Set::Alnum => byte.is_ascii_alphanumeric(),
            Set::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Set::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Set::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Set::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Set::Path => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/'),
        }
    }
}

/// The certainty that a prefix gives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Trust {
    /// Nothing else begins like that: every text of the length is a token.
    Sure,
    /// It must stand alone.
    Alone,
    /// Other texts begin like that: it must stand alone and look random.
    Weak,
    /// The prefix is the name of a value, which is shown; only the value is a secret.
    Name,
}

const ANY: usize = usize::MAX;

const fn sure(kind: &'static str, prefix: &'static str, set: Set, min: usize) -> Token {
    Token { kind, prefix, set, len: (min, ANY), trust: Trust::Sure }
}

const fn alone(kind: &'static str, prefix: &'static str, set: Set, len: usize) -> Token {
    Token { kind, prefix, set, len: (len, len), trust: Trust::Alone }
}

const fn weak(kind: &'static str, prefix: &'static str, set: Set, min: usize, max: usize) -> Token {
    Token { kind, prefix, set, len: (min, max), trust: Trust::Weak }
}

const fn named(
    kind: &'static str,
    prefix: &'static str,
    set: Set,
    min: usize,
    max: usize,
) -> Token {
    Token { kind, prefix, set, len: (min, max), trust: Trust::Name }
}

/// All of them. docs/mcp.md lists the services.
pub(super) const TOKENS: &[Token] = &[
    alone("AWS key", "AKIA", Set::Upper, 16),
    alone("AWS key", "ASIA", Set::Upper, 16),
    alone("AWS key", "ABIA", Set::Upper, 16),
    alone("AWS key", "ACCA", Set::Upper, 16),
    named("AWS secret", "aws_secret_access_key", Set::Base64, 40, 40),
    named("AWS secret", "AWS_SECRET_ACCESS_KEY", Set::Base64, 40, 40),
    named("AWS secret", "aws_session_token", Set::Base64, 100, ANY),
    named("AWS secret", "AWS_SESSION_TOKEN", Set::Base64, 100, ANY),
    named("AWS secret", "ecretAccessKey", Set::Base64, 40, 40),
    sure("GitHub token", "ghp_", Set::Alnum, 30),
    sure("GitHub token", "gho_", Set::Alnum, 30),
    sure("GitHub token", "ghu_", Set::Alnum, 30),
    sure("GitHub token", "ghs_", Set::Alnum, 30),
    sure("GitHub token", "ghr_", Set::Alnum, 30),
    sure("GitHub token", "github_pat_", Set::Word, 22),
    sure("GitLab token", "glpat-", Set::Dotted, 20),
    sure("GitLab token", "glptt-", Set::Word, 20),
    sure("GitLab token", "gldt-", Set::Word, 20),
    sure("GitLab token", "glrt-", Set::Dotted, 20),
    sure("GitLab token", "glcbt-", Set::Word, 20),
    sure("GitLab token", "glsoat-", Set::Word, 20),
    sure("GitLab token", "gloas-", Set::Word, 20),
    weak("Slack token", "xoxb-", Set::Word, 10, ANY),
    weak("Slack token", "xoxp-", Set::Word, 10, ANY),
    weak("Slack token", "xoxa-", Set::Word, 10, ANY),
    weak("Slack token", "xoxr-", Set::Word, 10, ANY),
    weak("Slack token", "xoxs-", Set::Word, 10, ANY),
    weak("Slack token", "xoxe-", Set::Word, 10, ANY),
    weak("Slack token", "xoxe.xox", Set::Word, 10, ANY),
    weak("Slack token", "xapp-", Set::Word, 20, ANY),
    weak("Slack webhook", "hooks.slack.com/services/", Set::Path, 30, ANY),
    weak("Discord webhook", "discord.com/api/webhooks/", Set::Path, 60, ANY),
    weak("OpenAI or Anthropic key", "sk-", Set::Word, 20, ANY),
    weak("Google API key", "AIza", Set::Word, 35, 39),
    sure("Google token", "ya29.", Set::Dotted, 20),
    sure("Google token", "GOCSPX-", Set::Word, 20),
    weak("Google token", "1//0", Set::Word, 40, ANY),
    sure("npm token", "npm_", Set::Alnum, 30),
    named("npm token", "_authToken", Set::Dotted, 20, ANY),
    weak("Hugging Face token", "hf_", Set::Alnum, 30, ANY),
    weak("PyPI token", "pypi-", Set::Word, 40, ANY),
    sure("DigitalOcean token", "dop_v1_", Set::Hex, 32),
    sure("DigitalOcean token", "doo_v1_", Set::Hex, 32),
    sure("DigitalOcean token", "dor_v1_", Set::Hex, 32),
    weak("SendGrid key", "SG.", Set::Dotted, 40, ANY),
    sure("Stripe key", "sk_live_", Set::Alnum, 16),
    sure("Stripe key", "sk_test_", Set::Alnum, 16),
    sure("Stripe key", "rk_live_", Set::Alnum, 16),
    sure("Stripe key", "rk_test_", Set::Alnum, 16),
    weak("Stripe key", "whsec_", Set::Base64, 20, ANY),
    weak("Mailgun key", "key-", Set::Hex, 32, 32),
    weak("Brevo key", "xkeysib-", Set::Word, 60, ANY),
    named("Azure key", "AccountKey=", Set::Base64, 80, ANY),
    named("Azure key", "SharedAccessKey=", Set::Base64, 40, ANY),
    sure("Vault token", "hvs.", Set::Word, 20),
    sure("Vault token", "hvb.", Set::Word, 20),
    sure("Terraform token", ".atlasv1.", Set::Word, 60),
    weak("Doppler token", "dp.pt.", Set::Alnum, 40, ANY),
    weak("Doppler token", "dp.st.", Set::Dotted, 40, ANY),
    weak("Databricks token", "dapi", Set::Hex, 32, 32),
    sure("Docker token", "dckr_pat_", Set::Word, 20),
    sure("Shopify token", "shpat_", Set::Hex, 32),
    sure("Shopify token", "shpca_", Set::Hex, 32),
    sure("Shopify token", "shppa_", Set::Hex, 32),
    sure("Shopify token", "shpss_", Set::Hex, 32),
    sure("Square token", "sq0atp-", Set::Word, 22),
    sure("Square token", "sq0csp-", Set::Word, 22),
    sure("New Relic key", "NRAK-", Set::Alnum, 27),
    sure("Linear key", "lin_api_", Set::Alnum, 30),
    weak("Notion token", "secret_", Set::Alnum, 43, 43),
    weak("Notion token", "ntn_", Set::Alnum, 40, ANY),
    sure("Figma token", "figd_", Set::Word, 30),
    sure("Postman key", "PMAK-", Set::Word, 50),
    sure("Grafana token", "glsa_", Set::Word, 30),
    weak("Grafana token", "glc_", Set::Base64, 32, ANY),
    sure("Sentry token", "sntrys_", Set::Base64, 40),
    sure("Sentry token", "sntryu_", Set::Hex, 40),
    weak("Atlassian token", "ATATT3", Set::Word, 60, ANY),
    weak("Atlassian token", "ATBB", Set::Alnum, 28, 40),
    weak("Pulumi token", "pul-", Set::Hex, 40, 40),
    weak("Supabase token", "sbp_", Set::Hex, 40, 40),
    sure("PlanetScale token", "pscale_", Set::Word, 32),
    weak("Netlify token", "nfp_", Set::Alnum, 36, ANY),
    weak("Replicate token", "r8_", Set::Alnum, 37, 40),
    weak("Perplexity key", "pplx-", Set::Alnum, 40, ANY),
    weak("Groq key", "gsk_", Set::Alnum, 40, ANY),
    weak("xAI key", "xai-", Set::Alnum, 60, ANY),
    weak("Tailscale key", "tskey-", Set::Word, 20, ANY),
    sure("age key", "AGE-SECRET-KEY-1", Set::Alnum, 50),
    sure("RubyGems key", "rubygems_", Set::Hex, 40),
    sure("Contentful token", "CFPAT-", Set::Word, 40),
    weak("Mapbox token", "sk.eyJ", Set::Dotted, 40, ANY),
    weak("Dropbox token", "sl.", Set::Word, 100, ANY),
    named("WireGuard key", "PrivateKey =", Set::Base64, 43, 44),
];
