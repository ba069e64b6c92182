import { createHash } from "node:crypto";
import type { PageAnswer } from "./page-answer.ts";

/** Trusted HTML. All other strings are escaped when inserted. */
export interface Html {
  readonly html: string;
}

/** Template tag that builds HTML and escapes its values. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const written = values.map((value) => (typeof value === "string" ? escapeHtml(value) : value.html));
  return { html: parts.reduce((text, part, index) => text + (written[index - 1] ?? "") + part) };
}

/** Returns a self-contained page without scripts or external resources, in light and dark themes. */
export function plainPage(
  status: number,
  title: string,
  body: Html,
  headers: Readonly<Record<string, string>> = {},
): PageAnswer {
  const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Tollgate</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body.html}
</main>
</body>
</html>
`;
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      // With `no-referrer`, browsers would also hide the origin of form submissions, which the origin check needs.
      "referrer-policy": "same-origin",
      ...headers,
    },
    content,
  };
}

const STYLE = `
:root { color-scheme: light dark; --page: #fafaf8; --panel: #fff; --edge: #e3e4e0; --outline: #8b8e88; --text: #1b1c1a; --muted: #5c5f5a; --accent: #0f6e62; --on-accent: #fff; --danger: #b4232a; }
@media (prefers-color-scheme: dark) { :root { --page: #121413; --panel: #191c1b; --edge: #2a2e2c; --outline: #6b716d; --text: #eceeec; --muted: #a3a8a4; --accent: #4cc7b4; --on-accent: #0b1513; --danger: #f2797e; } }
*, *::before { box-sizing: border-box; }
body { margin: 0; padding: 10vh 16px 32px; color: var(--text); background: var(--page); font: 400 16px/24px system-ui, sans-serif; }
main { margin-inline: auto; max-width: 400px; }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 28px; font-weight: 600; }
p { margin: 0 0 20px; color: var(--muted); font-size: 14px; line-height: 22px; }
.trouble { margin: 0 0 16px; padding: 10px 12px; border: 1px solid var(--danger); border-radius: 6px; color: var(--danger); font-size: 14px; line-height: 22px; }
.panel { padding: 20px; border: 1px solid var(--edge); border-radius: 8px; background: var(--panel); }
label { display: block; margin-bottom: 6px; font-size: 14px; line-height: 22px; font-weight: 600; }
input { display: block; width: 100%; height: 44px; margin-bottom: 16px; padding: 0 12px; border: 1px solid var(--outline); border-radius: 6px; color: inherit; background: var(--panel); font: inherit; }
button { width: 100%; height: 44px; border: 0; border-radius: 6px; color: var(--on-accent); background: var(--accent); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { color: var(--text); font: 13px/20px ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
pre { margin: 0 0 20px; }
ul { margin: 20px 0 0; padding-left: 18px; color: var(--muted); font-size: 13px; line-height: 20px; }
a { color: var(--accent); }
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => escapes[letter] as string);
}
