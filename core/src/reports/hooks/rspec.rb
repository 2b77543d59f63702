# Records the result of each example of an RSpec run for `codedb run`; prints nothing.
reports = ENV["CODEDB_REPORT_DIR"]
if reports
  require "json"

  recorder = Class.new do
    def initialize(directory)
      path = File.join(directory, "rspec-#{Process.pid}.jsonl")
      @process = Process.pid
      @log = File.open(path, File::WRONLY | File::CREAT | File::APPEND, 0o600)
      @log.sync = true
      write(begin: "rspec")
    rescue SystemCallError
      @log = nil
    end

    def write(line)
      @log.write(JSON.generate(line) + "\n") if @log && Process.pid == @process
    rescue StandardError
      nil
    end

    def note(notification, outcome)
      example = notification.example
      write(
        file: File.expand_path(example.metadata[:file_path]),
        name: example.full_description,
        outcome: outcome,
        ms: (example.execution_result.run_time || 0.0) * 1000.0
      )
    end

    def example_passed(notification)
      note(notification, "passed")
    end

    def example_failed(notification)
      note(notification, "failed")
    end

    def example_pending(notification)
      # An example that is pending and was run failed as expected.
      is_skipped = notification.example.skipped?
      note(notification, is_skipped ? "skipped" : "passed")
    end

    def dump_summary(summary)
      count = summary.errors_outside_of_examples_count
      write(problem: "#{count} errors outside of examples") if count.positive?
      write(end: true)
    end
  end

  RSpec.configure do |config|
    config.before(:suite) do
      config.reporter.register_listener(
        recorder.new(reports),
        :example_passed, :example_failed, :example_pending, :dump_summary
      )
    end
  end
end
