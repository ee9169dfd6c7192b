function [values, type] = read_npy (path)
% The array of a .npy file, of two dimensions and row by row, without the library.
  file = fopen (path, 'r', 'ieee-le');
  magic = fread (file, 8, 'uint8=>uint8')';
  assert (double (magic(1:6)), [147, double('NUMPY')]);
  header = fread (file, fread (file, 1, 'uint16'), 'char=>char')';
  type = regexp (header, '''descr'': ''<(f[48])''', 'tokens'){1}{1};
  shape = str2double (regexp (header, '\((\d+), (\d+)\)', 'tokens'){1});
  classes = struct ('f4', 'single', 'f8', 'double');
  assert (isempty (strfind (header, 'True')));
  values = fread (file, fliplr (shape), [classes.(type) '=>' classes.(type)])';
  fclose (file);
end
