function W = graph (X, varargin)
% orthant.graph  The graph of nearest neighbours of samples.
%
%   W = orthant.graph (X)
%   W = orthant.graph (X, NAME, VALUE, ...)
%
% X has a sample in each row. W is sparse and symmetric: an edge where one of two samples is among the
% nearest neighbours of the other. Options:
%
%   neighbours   5 unless given
%   weights      'binary' (unless given), 'heat': exp (-d^2 / (2 t^2)), 'cosine'
%   heat_width   t; 0 (unless given): the root of the mean squared distance
%   search       'exact'; 'approximate', which misses a few neighbours and is nearly linear in the samples;
%                'auto' (unless given): exact but for many samples of many features
%   missing      'nan': NaN in X is not known; 'zeros': nor is what a sparse X does not store. Samples are
%                compared by the features that are known in both (times all over those); all pairs are
%   labels       a number for each sample, NaN where it is not known: 1 between samples of one class,
%                0 between samples of two
%   transpose, threads, memory, verbose   as of orthant.fit
%
% Example:
%   W = orthant.graph (rand (50, 4), 'neighbours', 3, 'weights', 'heat');
%
% See also: orthant.fit

  if nargin < 1
    error ('orthant:argument', 'orthant.graph: expected X');
  end
  W = orthant_call ('graph', {X}, varargin);
end
