" GradGuard for ALE: see README.md beside `ale_linters`.

call ale#Set('python_gradguard_executable', 'gradguard')
call ale#Set('python_gradguard_use_global', get(g:, 'ale_use_global_executables', 0))
call ale#Set('python_gradguard_options', {})

" The project's own `gradguard`, from its virtual environment, before the one on the PATH.
function! ale_linters#python#gradguard#GetExecutable(buffer) abort
    return ale#python#FindExecutable(a:buffer, 'python_gradguard', ['gradguard'])
endfunction

call ale#linter#Define('python', {
\   'name': 'gradguard',
\   'lsp': 'stdio',
\   'executable': function('ale_linters#python#gradguard#GetExecutable'),
\   'command': '%e server',
\   'project_root': function('ale#python#FindProjectRoot'),
\   'initialization_options': {buffer -> ale#Var(buffer, 'python_gradguard_options')},
\})
