function [rows, tables] = compare (X, truth, varargin)
% orthant.compare  A study: methods over drawn classes of labelled samples, repeated.
%
%   rows = orthant.compare (X, TRUTH, 'methods', 'kmeans,nmf,gnmf', 'classes', '2:5', NAME, VALUE, ...)
%   [rows, tables] = orthant.compare (...)
%
% X has a sample in each row, TRUTH its class. Rows is a struct array with an element for each run: method, classes,
% repeat, accuracy, nmi, ari, purity, seconds, sparseness, objective, iterations. Tables is a text: means and
% deviations, gains, Friedman's test. Options: methods, classes ('all' unless given), repeats (10), seed,
% labelled_fraction (0.1), labelled_per_class, init, scale, solver, start (lists: variants), sweep, parameter,
% iterations, tolerance, time_limit, labels_rule, restarts, graph, weights, search, similarity; folder (where the study
% is kept with its report, and goes on from), transpose, threads, memory, verbose.
%
% See also: orthant.fit, orthant.score

  if nargin < 2
    error ('orthant:argument', 'orthant.compare: expected X and the true labels');
  end
  [rows, tables] = orthant_call ('compare', {X, truth}, varargin);
end
