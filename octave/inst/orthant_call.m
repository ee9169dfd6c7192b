function varargout = orthant_call (action, given, pairs)
% orthant_call  Internal: checks what the functions of +orthant were given and hands it to orthant_mex.
%
%   varargout = orthant_call (ACTION, GIVEN, PAIRS)
%
% GIVEN: the arguments; those of integers or logicals become double, MATLAB's strings char. PAIRS: names
% and values, or one struct of them.

  given = cellfun (@as_real, given, 'UniformOutput', false);
  if strcmp (action, 'fit') && isnumeric (given{3}) && numel (given{3}) > 1
    ranks = sprintf ('%.17g,', given{3});   % a survey finds which of them
    given{3} = ranks(1:end - 1);
  end
  pairs = cellfun (@as_real, pairs, 'UniformOutput', false);
  options = struct ();
  if numel (pairs) == 1 && isstruct (pairs{1}) && isscalar (pairs{1})
    options = pairs{1};
  else
    if mod (numel (pairs), 2) ~= 0
      error ('orthant:argument', 'options: expected pairs of a name and a value, or one struct');
    end
    for i = 1:2:numel (pairs)
      if ~ischar (pairs{i}) || ~isvarname (pairs{i})
        error ('orthant:argument', 'options: argument %d is to be a name, and is none', i);
      end
      options.(pairs{i}) = pairs{i + 1};
    end
  end
  names = fieldnames (options);
  for i = 1:numel (names)
    options.(names{i}) = as_real (options.(names{i}));
  end
  [varargout{1:max (nargout, 1)}] = orthant_mex (action, given{:}, options);
end

function value = as_real (value)
  if isinteger (value) || (islogical (value) && ~isscalar (value))
    value = double (value);
  elseif isstring (value) && isscalar (value)
    value = char (value);
  end
end
