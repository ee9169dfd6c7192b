function [X, words, truth] = words (path, varargin)
% orthant.words  Counts of the words of documents, with the vocabulary.
%
%   [X, words, truth] = orthant.words (PATH, NAME, VALUE, ...)
%
% PATH is a folder, in which each file is a document and each subfolder a class, or a file, in which each line
% is a document. X is sparse, a row for each document and a column for each of the words, a cell of texts; truth
% holds the classes, or []. Options: stop_words ('english', or a file with a word per line), min_count and
% min_documents (words that occur less often in all, or in fewer documents, are left out), max_words (of those
% left, the most frequent), memory, verbose.
%
% See also: orthant.read

  if nargin < 1
    error ('orthant:argument', 'orthant.words: expected a folder or a file');
  end
  [X, words, truth] = orthant_call ('words', {path}, varargin);
end
