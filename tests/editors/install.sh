#!/bin/sh
# Gets the editors that `make e2e` drives: Emacs, Vim with ALE and Chromium from Debian or Ubuntu, and code-server, which
# is Visual Studio Code for a browser, from npm into the folder DIR. What is there already is left as it is.
# usage: install.sh DIR
set -eu
dir=$1
code_server=4.100.3 # Visual Studio Code 1.100.3, for Node 20
ripgrep=1.18.0

fail() {
    echo "make e2e cannot run here: $*" >&2
    exit 1
}

debian() {
    missing=
    for package in "$@"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || fail "these packages are missing, and there is no apt-get:$missing"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || fail "these packages are missing, and it takes root to install them:$missing"
        as_root='sudo -n'
    fi
    echo "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { $as_root apt-get update -qq && $as_root apt-get install -qq -y --no-install-recommends $missing; } >/dev/null ||
        fail "apt-get could not install$missing"
}

# The package's own install script fetches a program from a host other than npm: the steps are taken one by one.
install_code_server() {
    mkdir -p "$dir"
    cd "$dir"
    echo '{ "private": true }' >package.json
    export npm_config_audit=false npm_config_fund=false npm_config_yes=true
    npm install --silent --ignore-scripts --no-package-lock "code-server@$code_server"
    npm rebuild --silent argon2
    cd node_modules/code-server/lib/vscode
    npm install --silent --omit=dev --ignore-scripts
    machine=$(node -p 'process.arch')
    (cd node_modules/@vscode/ripgrep && mkdir -p bin && npm pack --silent "@vscode/ripgrep-linux-$machine@$ripgrep" |
        xargs -I{} tar -xzf {} --strip-components=2 -C bin package/bin/rg)
    npm rebuild --silent
    (cd extensions && npm install --silent --omit=dev --ignore-scripts)
    ln -sfn node_modules node_modules.asar
    touch "$dir/.ready"
}

command -v npm >/dev/null || fail 'there is no Node'
case $(node --version) in v20.*) ;; *) fail "code-server $code_server runs on Node 20, this is $(node --version)" ;; esac
command -v dpkg >/dev/null || fail 'it needs a Debian or an Ubuntu, for the editors'
debian chromium emacs-nox vim-nox vim-ale
emacs --batch --eval "(progn (package-initialize) (require 'eglot))" 2>/dev/null || debian elpa-eglot
if [ ! -e "$dir/.ready" ]; then
    debian g++ make python3 python3-venv libkrb5-dev libx11-dev libxkbfile-dev libsecret-1-dev # Code's native modules
    mkdir -p "$dir"
    echo "installing code-server $code_server"
    install_code_server >"$dir.log" 2>&1 || { tail -n 30 "$dir.log" >&2; fail 'code-server could not be installed'; }
fi
