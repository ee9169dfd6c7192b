function run_command (arguments)
% The command, which has to succeed.
  assert (system ([getenv('ORTHANT_COMMAND') ' ' arguments ' --quiet >/dev/null']), 0);
end
