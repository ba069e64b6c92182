import type { AuditEntry } from "../audit/write-audit.ts";
import type { NewKey } from "../keys/insert-key.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Audit log actor for imports: the operator who runs the command. */
export const importer = { type: "system", id: null } as const;

export interface KeyToImport extends NewKey {
  readonly models: readonly string[];
  readonly isDisabled: boolean;
}

/** Context of an import. */
export interface ImportContext {
  readonly now: Date;
  /** Writes the audit entry. A dry run does nothing here, so that it doesn't lock the audit chains. */
  readonly audit: (transaction: TenantTransaction, entry: AuditEntry) => Promise<void>;
  /** Creates a key the same way as every other interface. */
  readonly createKey: (transaction: TenantTransaction, key: KeyToImport) => Promise<void>;
}
