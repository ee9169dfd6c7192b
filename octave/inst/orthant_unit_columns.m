function [U, V] = orthant_unit_columns (U, V)
% orthant_unit_columns  Internal: columns of U at length 1, and V takes the scale.

  lengths = max (1e-15, sqrt (sum (U .^ 2, 1)));
  U = bsxfun (@rdivide, U, lengths);
  V = bsxfun (@times, V, lengths);
end
