import type { AuditEntry } from "../audit/write-audit.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Audit log actor for imports: the operator who runs the command. */
export const importer = { type: "system", id: null } as const;

/** Context of an import. */
export interface ImportContext {
  readonly now: Date;
  /** Writes the audit entry. A dry run does nothing here, so that it doesn't lock the audit chains. */
  readonly audit: (transaction: TenantTransaction, entry: AuditEntry) => Promise<void>;
}
