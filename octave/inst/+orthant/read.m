function [X, truth, info] = read (path, varargin)
% orthant.read  Data of any kind that Orthant reads.
%
%   X = orthant.read (PATH)
%   [X, truth, info] = orthant.read (PATH, NAME, VALUE, ...)
%
% PATH: .mat, .npy, .npz, .csv, .tsv, .mtx, HDF5 ('file.h5:/path'), IDX (.gz too), or a folder of
% images with a subfolder for each class. X has a sample in each row, and is sparse where the file is.
% Truth: labels that lie in or beside the file, NaN where one is not known; [] where there are none.
% Options: variable, truth (a variable, a column or a file), transpose (the file has samples as
% columns), height and width (of images), color, precision ('double' or 'single'); of a table also
% id_column (the samples' names), drop (columns that are no features: 'row,note') and missing (true: empty
% cells are NaN). Info is a struct: features, samples and classes (cells of names, {} where there are none),
% and of pictures height, width, channels and column_major (whether a sample lists its pixels column by
% column; 0 where they are none).
%
% See also: orthant.fit

  if nargin < 1
    error ('orthant:argument', 'orthant.read: expected a path');
  end
  if nargout > 2
    [X, truth, info] = orthant_call ('read', {path}, varargin);
  elseif nargout > 1
    [X, truth] = orthant_call ('read', {path}, varargin);
  else
    X = orthant_call ('read', {path}, varargin);
  end
end
