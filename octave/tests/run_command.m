function run_command (arguments)
% The command, which has to succeed. A run may take the place of an earlier one.
  if (any (strncmp (arguments, {'fit ', 'cluster ', 'consensus '}, 4)) && ! isempty (strfind (arguments, ' -o ')))
    arguments = [arguments ' --force'];
  end
  assert (system ([getenv('ORTHANT_COMMAND') ' ' arguments ' --quiet >/dev/null']), 0);
end
