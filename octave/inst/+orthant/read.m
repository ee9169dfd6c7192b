function [X, truth] = read (path, varargin)
% orthant.read  Data of any kind that Orthant reads.
%
%   X = orthant.read (PATH)
%   [X, truth] = orthant.read (PATH, NAME, VALUE, ...)
%
% PATH: .mat, .npy, .npz, .csv, .tsv, .mtx, HDF5 ('file.h5:/path'), IDX (.gz too), or a folder of
% images with a subfolder for each class. X has a sample in each row, and is sparse where the file is.
% Truth: labels that lie in or beside the file, NaN where one is not known; [] where there are none.
% Options: variable, truth (a variable, a column or a file), transpose (the file has samples as
% columns), height and width (of images), color, precision ('double' or 'single').
%
% See also: orthant.fit

  if nargin < 1
    error ('orthant:argument', 'orthant.read: expected a path');
  end
  if nargout > 1
    [X, truth] = orthant_call ('read', {path}, varargin);
  else
    X = orthant_call ('read', {path}, varargin);
  end
end
