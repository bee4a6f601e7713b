-- What a user of Neovim does, without a screen: FILE is opened, hovered over, and mended. Prints what was seen as JSON.
vim.opt.runtimepath:append(vim.env.CONFIGURATION)
vim.lsp.enable('gradguard')

local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then
    io.stderr:write('waited in vain for ' .. what .. '\n')
    vim.cmd('cquit 1')
  end
end

local function line(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1]
end

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return vim.api.nvim_win_get_buf(window)
    end
  end
end

local seen = {}
vim.cmd.edit(vim.env.FILE)
wait('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
seen.diagnostics = vim.tbl_map(function(d)
  return { code = d.code, line = d.lnum + 1, message = d.message, source = d.source }
end, vim.diagnostic.get(0))

vim.lsp.inlay_hint.enable()
wait('inlay hints', function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end)
seen.hints = vim.tbl_map(function(h)
  local label = h.inlay_hint.label
  return type(label) == 'string' and label or label[1].value
end, vim.lsp.inlay_hint.get({ bufnr = 0 }))

vim.api.nvim_win_set_cursor(0, { 4, 0 })
vim.lsp.buf.hover()
wait('a hover', floating)
seen.hover = table.concat(vim.api.nvim_buf_get_lines(floating(), 0, -1, false), '\n')
vim.cmd('fclose')

local broken = line(4)
vim.lsp.buf.code_action({ apply = true, filter = function(action) return vim.startswith(action.title, 'GradGuard: Write `y = y + ') end })
wait('the quick fix', function() return line(4) ~= broken end)
seen.mended = line(4)
wait('the end of the squiggle', function() return #vim.diagnostic.get(0) == 0 end)

for _, client in ipairs(vim.lsp.get_clients()) do
  client:stop()
end
wait('the end of the server', function() return #vim.lsp.get_clients() == 0 end)
io.stdout:write(vim.json.encode(seen))
vim.cmd('qall!')
