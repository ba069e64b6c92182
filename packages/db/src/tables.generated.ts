// Generated from the migrations by packages/db/generate/generate-tables.ts. Do not edit.
import type { Generated } from "kysely";

export interface ApiKeysTable {
  id: string;
  organization_id: string;
  team_id: string;
  user_id: number | null;
  name: string;
  token_hash: Buffer;
  prefix: string;
  last_four: string;
  disabled_at: Date | null;
  revoked_at: Date | null;
  expires_at: Date | null;
  previous_token_hash: Buffer | null;
  previous_valid_until: Date | null;
  models: Generated<string[]>;
  allowed_routes: string[] | null;
  aliases: Generated<Record<string, string>>;
  tags: Generated<string[]>;
  guardrails: Generated<string[]>;
  rpm_limit: number | null;
  tpm_limit: number | null;
  max_parallel_requests: number | null;
  model_rpm_limits: Generated<Record<string, number>>;
  model_tpm_limits: Generated<Record<string, number>>;
  metadata: Generated<Record<string, unknown>>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  rotated_at: Date | null;
  last_used_at: Date | null;
}

export interface OrganizationsTable {
  id: string;
  name: string;
  status: Generated<"active" | "closed">;
  models: Generated<string[]>;
  rpm_limit: number | null;
  tpm_limit: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TeamsTable {
  id: string;
  organization_id: string;
  name: string;
  status: Generated<"active" | "blocked">;
  blocked_reason: string | null;
  blocked_at: Date | null;
  models: Generated<string[]>;
  model_aliases: Generated<Record<string, string>>;
  tags: Generated<string[]>;
  guardrails: Generated<string[]>;
  rpm_limit: number | null;
  tpm_limit: number | null;
  max_parallel_requests: number | null;
  model_rpm_limits: Generated<Record<string, number>>;
  model_tpm_limits: Generated<Record<string, number>>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface Tables {
  api_keys: ApiKeysTable;
  organizations: OrganizationsTable;
  teams: TeamsTable;
}
