;;; eglot.el --- The steps of tests/emacs/run with Eglot  -*- lexical-binding: t -*-

;;; Commentary:
;; steps.el is loaded before.

;;; Code:

(require 'project)

;; Without a repository around it Emacs does not know that the folder is a project.
(cl-defmethod project-root ((project (head kernels))) (cdr project))
(add-hook 'project-find-functions
          (lambda (folder)
            (let ((root (locate-dominating-file folder "Cargo.toml")))
              (and root (cons 'kernels root)))))
(setq eglot-confirm-server-initiated-edits nil
      eglot-connect-timeout steps-patience
      jsonrpc-default-request-timeout steps-patience)

(defun steps-visit (path)
  "Visit PATH, as commands do, which `eglot-ensure' waits for."
  (switch-to-buffer (find-file-noselect (expand-file-name path steps-root)))
  (run-hooks 'post-command-hook)
  (steps-await "the server" #'eglot-current-server))

(defun steps-finding (code)
  "The diagnostic at hand whose text names CODE."
  (flymake-start)
  (cl-find-if (lambda (found) (string-match-p code (flymake-diagnostic-text found)))
              (flymake-diagnostics)))

(steps-visit "src/lib.rs")
(message "1. the server answers")

(let ((found (steps-await "the finding slice_size" (lambda () (steps-finding "256 slices")))))
  (message "2. the finding slice_size is shown")
  (goto-char (point-min))
  (search-forward "m![Rows, Col")
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                               (eglot--TextDocumentPositionParams))))
    (steps-check (string-match-p "64" (format "%S" hover)) "the hover tells the size 64" hover))
  (message "3. a hover tells the size of an axis")
  (let* ((actions (eglot-code-actions (flymake-diagnostic-beg found) (flymake-diagnostic-end found)
                                      "quickfix"))
         (fix (cl-find-if (lambda (action) (string-match-p "256" (plist-get action :title)))
                          (append actions nil))))
    (steps-check fix "a quick fix names 256" actions)
    (unless (plist-get fix :edit)
      (setq fix (jsonrpc-request (eglot-current-server) :codeAction/resolve fix)))
    (eglot--apply-workspace-edit (plist-get fix :edit)))
  (steps-check (save-excursion (goto-char (point-min)) (search-forward "# 256" nil t))
               "the slice is padded to 256" (buffer-string))
  (eglot--signal-textDocument/didChange)
  (steps-await "the finding to go" (lambda () (not (steps-finding "256 slices"))))
  (message "4. the quick fix is applied and the finding goes"))

(save-buffer)
(steps-visit "src/sizes.rs")
(goto-char (point-min))
(search-forward "Inner = m![Col")
(eglot-rename "Width")
(goto-char (point-min))
(steps-check (search-forward "axes![Rows = 256, Width = 64];" nil t) "the declaration" (buffer-string))
(steps-check (search-forward "Inner = m![Width];" nil t) "the use" (buffer-string))
(steps-visit "src/lib.rs")
(goto-char (point-min))
(steps-check (search-forward "use sizes::{Width, Inner as Line, Rows};" nil t) "the import" (buffer-string))
(steps-check (not (search-forward "Columns" nil t)) "no other is left" (buffer-string))
(message "5. a rename changes an axis in both files")

(eglot-shutdown (eglot-current-server))
(message "all steps passed")

;;; eglot.el ends here
