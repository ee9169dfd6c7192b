function table = methods (name)
% orthant.methods  The methods, and the parameters of each.
%
%   orthant.methods ()          prints names and titles
%   orthant.methods (NAME)      prints a method's objective, updates and parameters
%   table = orthant.methods ()  a struct array: name, title, family, loss, terms, needs, factors,
%                               labels, promises, reference, description, mixed_signs
%   info = orthant.methods (NAME)
%                               the method's element, with its parameters: name, default, choices,
%                               minimum, maximum, help
%
% Each method also is a function with its own help: orthant.gnmf (X, K, ...) is
% orthant.fit (X, 'gnmf', K, ...), and orthant.nmf_kl is 'nmf-kl'.
%
% See also: orthant.fit

  all = orthant_mex ('methods');
  if nargin > 0
    parameters = orthant_mex ('parameters', name);
    all = all(strcmp ({all.name}, name));
    all.parameters = parameters;
  end
  if nargout > 0
    table = all;
  elseif nargin > 0
    show (all);
  else
    for i = 1:numel (all)
      fprintf ('%-11s %s\n', all(i).name, all(i).title);
    end
  end
end

function show (info)
  fprintf ('%s: %s\n\n%s\n\n', info.name, info.title, info.description);
  for name = {'needs', 'factors', 'labels', 'reference'}
    fprintf ('%-11s %s\n', name{1}, info.(name{1}));
  end
  fprintf ('\nParameters: name, default, values\n');
  for p = info.parameters'
    values = p.choices;
    if ~isnan (p.minimum)
      values = sprintf ('%g to %g', p.minimum, p.maximum);
    end
    fprintf ('  %-22s %-10s %s\n%s%s\n', p.name, p.default, values, blanks (25), p.help);
  end
end
