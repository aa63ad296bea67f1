// The addresses of pages of rules: `visa-rule:/slice_size.md`.

/** The scheme of their addresses. */
export const RULE_SCHEME = 'visa-rule';

/** The rule that a path of that scheme is of. */
export function ruleOf(path: string): string {
  return path.replace(/^\//, '').replace(/\.md$/, '');
}

/** The rule and the document that the server's command is called with; `null` where it names no rule. */
export function explained(given: readonly unknown[]): { rule: string; document?: string } | null {
  const [rule, document] = given;
  if (typeof rule !== 'string' || !/^[a-z0-9_]+$/.test(rule)) return null;
  return typeof document === 'string' ? { rule, document } : { rule };
}
