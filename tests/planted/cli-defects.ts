import type { Defect } from "./defect.ts";

/**
 * Small plausible defects in the command line, one per promise that its tests must keep. The list was written before
 * the tests.
 */
export const cliDefects: readonly Defect[] = [
  {
    name: "amount-below-a-millionth-is-cut",
    file: "packages/domain/src/figures/money-text.ts",
    search: 'return withDecimals(amount, MAX_DECIMALS).replace(/0{1,7}$/, "");',
    replace: 'return withDecimals(amount, MAX_COLUMN_DECIMALS).replace(/0{1,4}$/, "");',
    tests: ["apps/cli/src/commands/manage/credits/credit-amounts.test.ts"],
  },
  {
    name: "minus-sign-is-lost",
    file: "packages/domain/src/figures/money-text.ts",
    search: 'amount < 0n && rounded > 0n ? MINUS : ""',
    replace: 'rounded < 0n ? MINUS : ""',
    tests: ["apps/cli/src/commands/manage/credits/credit-amounts.test.ts"],
  },
  {
    name: "time-in-utc-instead-of-local",
    file: "apps/cli/src/format-values.ts",
    search: `return \`\${day} \${two(date.getHours())}:`,
    replace: `return \`\${day} \${two(date.getUTCHours())}:`,
    tests: ["apps/cli/src/commands/manage/credits/credit-amounts.test.ts"],
  },
  {
    name: "limit-stops-after-one-page",
    file: "apps/cli/src/fetch-list.ts",
    search: "if (rows.length >= wanted) break;",
    replace: "if (rows.length >= pageSize) break;",
    tests: ["apps/cli/src/fetch-list.test.ts"],
  },
  {
    name: "expiry-in-the-past",
    file: "apps/cli/src/commands/manage/keys/keys-update.ts",
    search: 'parseTime(expires, "future")',
    replace: 'parseTime(expires, "past")',
    tests: ["apps/cli/src/commands/manage/sent-changes.test.ts"],
  },
  {
    name: "invited-as-administrator-by-default",
    file: "apps/cli/src/commands/manage/members/members-invite.ts",
    search: 'flags.role ?? "member"',
    replace: 'flags.role ?? "admin"',
    tests: ["apps/cli/src/commands/manage/sent-changes.test.ts"],
  },
  {
    name: "output-price-is-the-input-price",
    file: "apps/cli/src/commands/admin/models/model-flags.ts",
    search: 'outputPerMillionTokens: amount(flags["output-price"])',
    replace: 'outputPerMillionTokens: amount(flags["input-price"])',
    tests: ["apps/cli/src/commands/admin/admin-requests.test.ts"],
  },
  {
    name: "audit-ignores-until",
    file: "apps/cli/src/commands/admin/audit.ts",
    search: '...(until !== undefined && { endDate: parseTime(until, "past") }),',
    replace: "",
    tests: ["apps/cli/src/commands/admin/admin-requests.test.ts"],
  },
  {
    name: "failed-deployment-test-exits-with-success",
    file: "apps/cli/src/commands/admin/models/models-test.ts",
    search: "return result.ok ? EXIT.ok : EXIT.temporary;",
    replace: "return EXIT.ok;",
    tests: ["apps/cli/src/commands/admin/admin-requests.test.ts"],
  },
  {
    name: "input-tokens-column-shows-output-tokens",
    file: "apps/cli/src/commands/manage/usage/usage.ts",
    search: "value: (row) => formatCount(row.promptTokens)",
    replace: "value: (row) => formatCount(row.completionTokens)",
    tests: ["apps/cli/src/commands/manage/shown-lists.test.ts"],
  },
  {
    name: "partial-failure-has-the-general-exit-code",
    file: "apps/cli/src/commands/manage/change-each.ts",
    search: "return failed === 0 ? EXIT.ok : EXIT.someFailed;",
    replace: "return failed === 0 ? EXIT.ok : EXIT.failure;",
    tests: ["apps/cli/src/commands/manage/sent-changes.test.ts"],
  },
  {
    name: "warnings-on-standard-output",
    file: "apps/cli/src/output/output.ts",
    search: `this.#io.stderr.write(\`\${this.noteStyles.yellow("!")} \${text}\\n\`);`,
    replace: `this.#io.stdout.write(\`\${this.noteStyles.yellow("!")} \${text}\\n\`);`,
    tests: ["apps/cli/src/commands/manage/sent-changes.test.ts"],
  },
  {
    name: "status-json-without-quota",
    file: "apps/cli/src/commands/account/status.ts",
    search: "      quota,\n      gateway,\n      profile:",
    replace: "      gateway,\n      profile:",
    tests: ["apps/cli/src/commands/account/connection.test.ts"],
  },
  {
    name: "any-text-confirms-a-deletion",
    file: "apps/cli/src/prompts/confirm-change.ts",
    search: "if (typed.trim() === plan.confirm) return true;",
    replace: 'if (typed.trim() !== "") return true;',
    tests: ["apps/cli/src/prompts/confirm-change.test.ts"],
  },
  {
    name: "token-sent-to-another-server",
    file: "apps/cli/src/settings/current-token.ts",
    search: "if (!isSamePlace(credential.url, context.url)) {",
    replace: 'if (credential.url === "") {',
    tests: ["apps/cli/src/commands/account/connection.test.ts"],
  },
  {
    name: "invalid-operator-flag-exits-as-failure",
    file: "apps/operate/src/ledger/ledger-verify.ts",
    search: `\`--admission must be one of: \${POLICIES.join(", ")}.\`, EXIT.usage)`,
    replace: `\`--admission must be one of: \${POLICIES.join(", ")}.\`, EXIT.failure)`,
    tests: ["apps/operate/src/command-flags.test.ts"],
  },
];
