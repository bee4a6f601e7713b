;;; What a user of Emacs does, in batch: FILE is opened, hovered over, and mended.  -*- lexical-binding: t -*-
;; Prints what was seen as JSON on the last line.
(require 'package)
(setq make-backup-files nil auto-save-default nil create-lockfiles nil)
(package-initialize)
(add-to-list 'load-path (getenv "CONFIGURATION"))
(require 'gradguard)
(require 'flymake)
(require 'json)
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-confirm-server-initiated-edits nil)

(defun wait-for (what condition)
  (let ((end (+ (float-time) 30)) seen)
    (while (not (or (setq seen (funcall condition)) (> (float-time) end)))
      (accept-process-output nil 0.05))
    (or seen (error "Waited in vain for %s" what))))

(find-file (getenv "FILE"))
(apply #'eglot (eglot--guess-contact)) ; what M-x eglot does
(flymake-start)
(wait-for "a diagnostic" #'flymake-diagnostics)
(defvar seen-diagnostics
  (mapcar (lambda (d) (list (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d)))
          (flymake-diagnostics)))

(goto-char (point-min))
(forward-line 3)
(defvar seen-hover nil)
(run-hook-with-args 'eldoc-documentation-functions
                    (lambda (text &rest _) (when (stringp text) (push (substring-no-properties text) seen-hover))))
(wait-for "a hover" (lambda () (cl-some (lambda (text) (string-match-p "saved it for backward" text)) seen-hover)))

(cl-letf (((symbol-function 'completing-read) (lambda (_ actions &rest _) (caar actions)))
          (last-nonmenu-event ?.)) ; the keyboard: a mouse would get a menu
  (eglot-code-actions (point) (1+ (point)) "quickfix" t))
(wait-for "the quick fix" (lambda () (save-excursion (goto-char (point-min)) (search-forward "y = y + 1" nil t))))
(eglot--signal-textDocument/didChange) ; an idle timer does this, and batch has no idle time
(wait-for "the end of the squiggle" (lambda () (null (flymake-diagnostics))))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
(princ (concat "\n" (json-encode `((diagnostics . ,(vconcat seen-diagnostics)) (hover . ,(vconcat seen-hover))))))
;;; session.el ends here
