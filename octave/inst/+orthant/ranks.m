function survey = ranks (X, varargin)
% orthant.ranks  How many parts: a method over several ranks, and the rank that the criteria speak for.
%
%   survey = orthant.ranks (X)
%   survey = orthant.ranks (X, 'rank', '2:8', NAME, VALUE, ...)
%
% X has a sample in each row. Options: rank ('2:12' unless given, '5:60:5', '3,5,8'), method ('nmf'),
% criteria (a text: some of those of `orthant ranks`, with commas), repeats (20), seed, noise (0.03), loss,
% iterations, tolerance, solver, init, weights, search, graph, pooling, parameter, term; folder (where the
% survey is kept with its report, and goes on from), scale, transpose, precision, threads, memory, verbose.
%
% A struct: recommended, reasons (a cell of texts), k, and a column for each measure: error (held out),
% explained, cophenetic, dispersion, silhouette, ...; NaN where its criterion was left out.
%
% Example:
%   X = rand (60, 3) * rand (3, 20);
%   survey = orthant.ranks (X, 'rank', '2:4', 'repeats', 3);
%   survey.recommended
%
% See also: orthant.fit, orthant.consensus

  if nargin < 1
    error ('orthant:argument', 'orthant.ranks: expected X');
  end
  survey = orthant_call ('ranks', {X}, varargin);
end
