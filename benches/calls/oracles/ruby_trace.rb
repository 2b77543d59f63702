# Records which method each call of a test suite reaches, and answers call sites from that record.
#
# Record, in the root of the tree: CALLS_TRACE=FILE RUBYOPT=-r/path/to/ruby_trace.rb rake test
# Answer, in the same directory:   ruby ruby_trace.rb FILE < sites > answers
#
# Sites are lines `PATH TAB BYTE TAB NAME`. Answers are lines `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, where
# LINE counts from 0 and the path is `-` for a method outside of the tree. Ruby reports the line of a call, not its
# column: calls of one name on one line share their answers. `new` reaches `initialize`, if that is written in Ruby.
# Sites that the test suite does not run have no answer, nor have calls that it stubs or that reach evaluated text.
# Where only an override in the test suite is reached, the method of the tree that it overrides is an answer, too.

# Methods reached, by the path, line and name of the call.
def traced(root, reached)
  # Tests may replace `File`.
  expand = File.method(:expand_path)
  inside = ->(path) { path && path.start_with?(root) ? path.delete_prefix(root) : nil }
  record = lambda do |caller_at, name, path, line|
    # Calls from within Ruby itself may have no path.
    from = caller_at && (caller_at.absolute_path || caller_at.path&.then { |at| expand.(at) })
    from = inside.(from)
    return unless from

    to = inside.(path)
    reached[[from, caller_at.lineno, name.to_s, to || "-", to ? line - 1 : 0]] = true
  end
  # Libraries for stubs also evaluate text, which has no place.
  stubbed = ->(path) { path && path.match?(%r{/rspec/mocks/|/minitest/mock|/flexmock/|\A\(eval}) }
  overridden = lambda do |owner, name|
    method = owner.instance_method(name)
    method = method.super_method until method.nil? || inside.(method.source_location&.first)
    method&.source_location
  rescue NameError
    nil
  end
  # Methods that `Forwardable` makes have the place of the call that declares them.
  delegators = {}
  TracePoint.new(:call) do |point|
    at = caller_locations(2, 1)&.first
    name = point.method_id == :initialize && at&.label == "new" ? :new : point.method_id
    path, line = point.path, point.lineno
    next if stubbed.(path)

    if path.end_with?("/forwardable.rb")
      if %i[def_instance_delegator def_delegator].include?(point.method_id)
        made, method = %i[ali method].map { |it| point.binding.local_variable_get(it) }
        delegators[[point.self, (made || method).to_sym]] =
          caller_locations(2, 8)&.find { |it| !it.path.end_with?("/forwardable.rb") }
      elsif (declared = delegators[[point.defined_class, point.method_id]])
        path, line = declared.path, declared.lineno
      end
    end
    record.(at, name, expand.(path), line)
    next if inside.(expand.(path))

    path, line = overridden.(point.defined_class, point.method_id)
    record.(at, name, path, line) if path
  end.enable
  TracePoint.new(:c_call) do |point|
    next if point.method_id == :new

    # Attribute readers count as methods written in C, and have the place of their declaration.
    path, line = point.defined_class.instance_method(point.method_id).source_location
    record.(caller_locations(1, 1)&.first, point.method_id, path && expand.(path), line) unless stubbed.(path)
  end.enable
end

if ENV["CALLS_TRACE"] && $PROGRAM_NAME != __FILE__
  reached = {}
  root = "#{Dir.pwd}/"
  file = "#{File.expand_path(ENV["CALLS_TRACE"])}.#{Process.pid}"
  at_exit { File.write(file, reached.keys.map { |row| "#{row.join("\t")}\n" }.join) }
  traced(root, reached)
else
  answers = Hash.new { |all, key| all[key] = [] }
  Dir.glob("#{ARGV.fetch(0)}.*").sort.each do |file|
    File.foreach(file, chomp: true) do |row|
      path, line, name, to, at = row.split("\t")
      answers[[path, line.to_i, name]] |= [[to, at]]
    end
  end
  $stdin.each_line(chomp: true) do |row|
    path, byte, name = row.split("\t")
    before = File.binread(path).byteslice(0, byte.to_i)
    line = before.count("\n") + 1
    # A call by `super` has the name of the method around it.
    name = before[/.*^[^#\n]*\bdef (?:self\.)?([\w?!=]+)/m, 1] || name if name == "super"
    answers[[path, line, name]].each { |to, at| puts [path, byte, to, at].join("\t") }
  end
end
