" What a user of Vim with ALE does: $FILE is opened, hovered over, and mended. What was seen goes to $SEEN as JSON.
set nocompatible nomore noswapfile viminfo=
filetype plugin on
let &runtimepath = $CONFIGURATION . ',' . &runtimepath
let g:ale_linters = {'python': ['gradguard']}
packadd ale

let s:seen = {}

function! s:Wait(what, condition) abort
    let l:left = 1500
    while !a:condition()
        let l:left -= 1
        if l:left == 0 | throw 'waited in vain for ' . a:what | endif
        sleep 20m
    endwhile
endfunction

function! s:Problems() abort
    return ale#engine#GetLoclist(bufnr($FILE))
endfunction

function! s:Text() abort
    return join(map(range(1, winnr('$')), 'join(getbufline(winbufnr(v:val), 1, "$"), "\n")'), "\n")
endfunction

function! Session(timer) abort
    try
        execute 'edit ' . $FILE
        call s:Wait('a diagnostic', {-> !empty(s:Problems())})
        let s:seen.diagnostics = map(copy(s:Problems()), '[v:val.lnum, v:val.code, v:val.type, v:val.text]')
        let s:seen.signs = len(sign_getplaced(bufnr($FILE), {'group': '*'})[0].signs)
        call cursor(4, 1)
        let g:ale_hover_to_preview = 1
        ALEHover
        call s:Wait('a hover', {-> s:Text() =~# 'saved it for backward'})
        let s:seen.hover = s:Text()
        wincmd P | close
        call cursor(4, 1)
        ALECodeAction
        call s:Wait('the quick fix', {-> getbufline(bufnr($FILE), 4)[0] ==# 'y = y + 1'})
        ALELint " a timer, as which this runs, has no TextChanged
        call s:Wait('the end of the squiggle', {-> empty(s:Problems())})
        ALEStopAllLSPs
    catch
        let s:seen.failed = v:exception . ' ' . v:throwpoint
    endtry
    call writefile([json_encode(s:seen)], $SEEN)
    qall!
endfunction

call timer_start(100, 'Session')
