;;; gradguard.el --- GradGuard for Python buffers, through Eglot  -*- lexical-binding: t -*-

;; Finds in-place tensor operations that break PyTorch's backward.  See README.md.

;;; Code:

(require 'eglot)

(defcustom gradguard-command '("gradguard" "server")
  "How the language server is started."
  :type '(repeat string)
  :group 'eglot)

(add-to-list 'eglot-server-programs
             '((python-mode python-ts-mode) . (lambda (&rest _) gradguard-command)))

(provide 'gradguard)
;;; gradguard.el ends here
