;;; steps.el --- What the steps of tests/emacs/run share  -*- lexical-binding: t -*-

;;; Commentary:
;; Each step waits for what it asks and writes a line; the first that fails ends Emacs with an error.

;;; Code:

(require 'cl-lib)

(defvar steps-root default-directory "The folder of the package.")

(defvar steps-patience 120
  "Seconds after which something is held to hang; nothing else is decided by it.")

(setq make-backup-files nil)

(defun steps-check (truth text &rest more)
  "Fail with TEXT and MORE unless TRUTH, else return it."
  (or truth (error "FAILED: %s %S" text more)))

(defun steps-await (what ask)
  "Wait until ASK gives a value that is not nil; WHAT tells for what."
  (let ((end (+ (float-time) steps-patience)) value)
    (while (and (not (setq value (funcall ask))) (< (float-time) end))
      (accept-process-output nil 0.05)
      (sit-for 0.01))
    (steps-check value (format "waited %s s for %s" steps-patience what))))

;;; steps.el ends here
