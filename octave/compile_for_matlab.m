function compile_for_matlab (prefix)
% compile_for_matlab  Builds orthant_mex for MATLAB, into inst/.
%
%   compile_for_matlab ()            the library is under /usr/local
%   compile_for_matlab ('/opt/orthant')
%
% Then: addpath (fullfile (pwd, 'inst'))

  if nargin < 1
    prefix = '/usr/local';
  end
  here = fileparts (mfilename ('fullpath'));
  lib = fullfile (prefix, 'lib');
  sources = {'orthant_mex.c', 'values.c', 'binding.c', 'beyond.c', 'surveys.c', 'arrays.c', 'studies.c', 'host.cc'};
  sources = cellfun (@(name) fullfile (here, 'src', name), sources, 'UniformOutput', false);
  mex ('-R2017b', ['-I' fullfile(prefix, 'include')], ['-L' lib], ['LDFLAGS=$LDFLAGS -Wl,-rpath,' lib], ...
       '-lorthant', '-lut', '-outdir', fullfile (here, 'inst'), sources{:});
end
