function [labels, info] = segment (path, varargin)
% orthant.segment  Segments of a picture or a point cloud.
%
%   labels = orthant.segment (PATH)
%   [labels, info] = orthant.segment (PATH, NAME, VALUE, ...)
%
% PATH: PNG, JPEG, TIFF, PGM, PPM, or PCD, PLY. Labels are a height x width matrix, or a column for the points of a
% cloud, numbered from 1; NaN for a missing point. Options: segments (estimated unless given), nodes ('slic',
% 'watershed', 'pixels'), method ('grpnmf', 'gnmf', 'nmf', 'kmeans'; pixels: also 'fseg', 'onmf', 'convex-nmf'),
% graph_weight, iterations, features, feature_weights, superpixels, edge_weights, smallest, smoothing, init, bank,
% window, bins, binning, finish, neighbours, seed, threads, memory, verbose. Info: segments, estimated, evidence,
% nodes, edges, iterations, objective, graph_weight, seconds.
%
% See also: orthant.fit

  if nargin < 1
    error ('orthant:argument', 'orthant.segment: expected the path of a picture or a cloud');
  end
  [labels, info] = orthant_call ('segment', {path}, varargin);
end
