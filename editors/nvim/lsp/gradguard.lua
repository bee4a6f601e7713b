-- GradGuard for Neovim 0.11 and later. Put this file into `lsp/` of your configuration, and add to `init.lua`:
--
--     vim.lsp.enable('gradguard')
--
-- Where `gradguard` is in a project's virtual environment alone, start Neovim in that, or name the command's path here.
-- Settings of the editor go into `settings`; a project's own stand in its `pyproject.toml` or `gradguard.toml`.
return {
  cmd = { 'gradguard', 'server' },
  filetypes = { 'python' },
  root_markers = { 'gradguard.toml', 'pyproject.toml', 'setup.py', 'setup.cfg', '.git' },
  settings = {
    gradguard = {
      inlayHints = 'changed', -- 'off', 'changed', 'saved' or 'all'; show them with `vim.lsp.inlay_hint.enable()`
    },
  },
}
