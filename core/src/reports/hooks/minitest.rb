# Records the result of each test of a minitest run for `codedb run`; prints nothing.
require "json"

module Minitest
  # A further reporter.
  class CodedbReporter < AbstractReporter
    def initialize(directory)
      super()
      @process = Process.pid
      path = File.join(directory, "minitest-#{@process}.jsonl")
      @log = File.open(path, File::WRONLY | File::CREAT | File::APPEND, 0o600)
      @log.sync = true
    rescue SystemCallError
      @log = nil
    end

    def write(line)
      @log.write(JSON.generate(line) + "\n") if @log && Process.pid == @process
    rescue StandardError
      nil
    end

    def start
      write(begin: "minitest")
    end

    def record(result)
      group = result.respond_to?(:klass) ? result.klass : result.class.name
      file = result.respond_to?(:source_location) ? Array(result.source_location).first : nil
      outcome = if result.passed? then "passed"
                elsif result.skipped? then "skipped"
                elsif result.error? then "error"
                else "failed"
                end
      write(
        file: file && File.expand_path(file),
        name: "#{group}::#{result.name}",
        outcome: outcome,
        ms: (result.time || 0.0) * 1000.0
      )
    end

    def report
      write(end: true)
    end

    def passed?
      true
    end
  end

  def self.plugin_codedb_init(_options)
    directory = ENV["CODEDB_REPORT_DIR"]
    reporter << CodedbReporter.new(directory) if directory
  end
end
