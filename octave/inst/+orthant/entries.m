function values = entries (fit, rows, columns)
% orthant.entries  The fitted values of chosen entries.
%
%   values = orthant.entries (FIT, ROWS, COLUMNS)
%
% FIT is a result of orthant.fit. ROWS and COLUMNS are vectors of one length, from 1: of each pair the value that the
% fit stands for, encoding times basis, without the whole matrix. In the units of the samples as they were scaled.
%
% Example:
%   fit = orthant.fit (rand (100, 20), 'nmf', 3);
%   values = orthant.entries (fit, [1 7], [20 4]);
%
% See also: orthant.complete, orthant.fitted

  if nargin < 3 || ~isstruct (fit)
    error ('orthant:argument', 'orthant.entries: expected a fit, rows and columns');
  end
  if ~isfield (fit, 'basis') || ~isfield (fit, 'encoding')
    error ('orthant:argument', 'orthant.entries: ''%s'' has no basis and encoding', fit.method);
  end
  if numel (rows) ~= numel (columns)
    error ('orthant:argument', 'orthant.entries: %d rows and %d columns', numel (rows), numel (columns));
  end
  check (rows, size (fit.encoding, 1), 'row');
  check (columns, size (fit.basis, 1), 'column');
  values = sum (fit.encoding(rows(:), :) .* fit.basis(columns(:), :), 2);
end

function check (places, most, what)
  wrong = find (~(places >= 1 & places <= most & places == floor (places)), 1);
  if ~isempty (wrong)
    error ('orthant:argument', 'orthant.entries: there is no %s %g; expected 1 to %d', what, places(wrong), most);
  end
end
