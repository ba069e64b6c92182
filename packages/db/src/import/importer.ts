import type { AuditEntry } from "../audit/write-audit.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Who the audit log names for what an import did: the operator, by the command. */
export const importer = { type: "system", id: null } as const;

/** What an import is done with. */
export interface ImportContext {
  readonly now: Date;
  /** Writes down what was changed. A dry run has no such thing to do, and must not hold up those who have. */
  readonly audit: (transaction: TenantTransaction, entry: AuditEntry) => Promise<void>;
}
