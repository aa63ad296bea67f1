;;; lsp_mode.el --- The steps of tests/emacs/run with lsp-mode  -*- lexical-binding: t -*-

;;; Commentary:
;; steps.el is loaded before.

;;; Code:

(require 'lsp-mode)
(require 'lsp-diagnostics)

;; Stands in for the Rust mode of the reader, of which lsp-mode knows the language; and for the answers to its questions.
(define-derived-mode rust-mode prog-mode "Rust")
(add-to-list 'auto-mode-alist '("\\.rs\\'" . rust-mode))
(setq lsp-restart 'ignore
      lsp-response-timeout steps-patience
      lsp-disabled-clients '(rust-analyzer rls)
      lsp-enable-file-watchers nil
      lsp-enable-snippet nil
      lsp-completion-provider :none
      lsp-enable-suggest-server-download nil
      lsp-diagnostics-provider :none)

(lsp-workspace-folders-add steps-root)

(defun steps-finding (text)
  "The diagnostic of this buffer whose message holds TEXT."
  (cl-find-if (lambda (found) (string-match-p text (lsp:diagnostic-message found)))
              (append (gethash (buffer-file-name) (lsp-diagnostics t)) nil)))

(switch-to-buffer (find-file-noselect (expand-file-name "src/lib.rs" steps-root)))
(lsp)
(steps-await "the server"
             (lambda () (cl-some (lambda (workspace) (eq (lsp--workspace-status workspace) 'initialized))
                                 (lsp-workspaces))))
(message "1. the server answers")

(let ((found (steps-await "the finding slice_size" (lambda () (steps-finding "256 slices")))))
  (message "2. the finding slice_size is shown")
  (goto-char (point-min))
  (search-forward "m![Rows, Col")
  (let ((hover (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
    (steps-check (string-match-p "64" (format "%S" hover)) "the hover tells the size 64" hover))
  (message "3. a hover tells the size of an axis")
  (let* ((range (lsp:diagnostic-range found))
         (actions (lsp-request "textDocument/codeAction"
                               (list :textDocument (lsp--text-document-identifier)
                                     :range range
                                     :context (list :diagnostics (vector found) :only ["quickfix"]))))
         (fix (cl-find-if (lambda (action) (string-match-p "256" (lsp:code-action-title action)))
                          (append actions nil))))
    (steps-check fix "a quick fix names 256" actions)
    (lsp-execute-code-action fix))
  (steps-check (save-excursion (goto-char (point-min)) (search-forward "# 256" nil t))
               "the slice is padded to 256" (buffer-string))
  (steps-await "the finding to go" (lambda () (not (steps-finding "256 slices"))))
  (message "4. the quick fix is applied and the finding goes"))

(message "all steps passed")
(mapc #'lsp-workspace-shutdown (lsp-workspaces))

;;; lsp_mode.el ends here
