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

export interface AssistantsTable {
  id: string;
  owner: string;
  organization_id: string | null;
  created_at: Generated<Date>;
  record: string;
  key_id: string | null;
}

export interface AuditLogTable {
  id: string;
  organization_id: string | null;
  seq: bigint;
  at: Generated<Date>;
  actor: Record<string, unknown>;
  action: string;
  target: Record<string, unknown>;
  request_id: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  previous_hash: Buffer | null;
  hash: Buffer;
}

export interface AuditPersonalTable {
  audit_id: string;
  subjects: number[];
  salt: Buffer;
  personal: Record<string, unknown> | null;
}

export interface BudgetLeasesTable {
  organization_id: string;
  scope: string;
  scope_id: string;
  starts_at: Date;
  node_id: string;
  epoch: number;
  granted: Generated<bigint>;
  returned: Generated<bigint>;
  settled: Generated<bigint>;
  reclaimed: Generated<bigint>;
  outstanding: Generated<bigint | null>;
  recall_seen: Generated<bigint>;
}

export interface BudgetWindowsTable {
  organization_id: string;
  scope: "key" | "team" | "user" | "organization";
  scope_id: string;
  starts_at: Date;
  ends_at: Date;
  amount: bigint;
  spent: Generated<bigint>;
  leased: Generated<bigint>;
  mode: Generated<"slices" | "exact">;
  largest_hold: Generated<bigint>;
  largest_hold_at: Generated<Date>;
  recall: Generated<bigint>;
}

export interface BudgetsTable {
  organization_id: string;
  scope: "key" | "team" | "user" | "organization";
  scope_id: string;
  amount: bigint;
  period: Generated<string>;
  updated_at: Generated<Date>;
}

export interface CallContentsTable {
  id: string;
  organization_id: string;
  request: string;
  answer: string;
  is_cut: boolean;
  expires_at: Date;
}

export interface CatalogEditionsTable {
  id: Generated<bigint>;
  edition: string;
  prices_as_of: string;
  sha256: string;
  content: string;
  signed_by: string | null;
  origin: string;
  is_pinned: Generated<boolean>;
  applied_by: string;
  applied_at: Generated<Date>;
}

export interface CatalogueModelsTable {
  id: string;
  name: string;
  provider_id: string;
  inference_model_id: string;
  type: "chat" | "completion" | "embedding" | "image" | "moderation" | "speech" | "transcription" | "rerank";
  description: Generated<string>;
  context_window: number | null;
  max_output_tokens: number | null;
  capabilities: Generated<string[]>;
  input_modalities: Generated<string[]>;
  output_modalities: Generated<string[]>;
  params: Generated<Record<string, unknown>>;
  price_version_id: string | null;
  per_image: bigint | null;
  per_audio_second: bigint | null;
  per_million_characters: bigint | null;
  status: Generated<"active" | "deprecated" | "disabled">;
  deprecated_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface ChangeFeedTable {
  transaction_id: Generated<string>;
  change: string;
  created_at: Generated<Date>;
}

export interface ChangeFeedStateTable {
  is_only: Generated<boolean>;
  server: Generated<string>;
  pruned_until: Generated<string>;
}

export interface CheckpointSinksTable {
  sink: "folder" | "webhook";
  target: string;
  first_number: bigint;
  delivered_through: bigint;
  failures: Generated<bigint>;
  failed_at: Date | null;
  failing_since: Date | null;
  dropped: Generated<bigint>;
  dropped_through: bigint | null;
}

export interface CheckpointedChainsTable {
  chain: "ledger" | "audit";
  organization_id: string;
  seq: bigint;
}

export interface CreditLeasesTable {
  organization_id: string;
  node_id: string;
  epoch: number;
  granted: Generated<bigint>;
  returned: Generated<bigint>;
  settled: Generated<bigint>;
  reclaimed: Generated<bigint>;
  outstanding: Generated<bigint | null>;
  seq: Generated<bigint>;
  recall_seen: Generated<bigint>;
  state: Generated<"active" | "lapsed" | "closing" | "closed" | "reclaimed">;
  lapsed_at: Date | null;
  created_at: Generated<Date>;
}

export interface GatewayNodesTable {
  node_id: string;
  epoch: number;
  beat: Generated<bigint>;
  started_at: Generated<Date>;
  alive_until: Date;
  oldest_unconfirmed_at: Date | null;
  host: Generated<string>;
}

export interface GrantLotsTable {
  id: string;
  organization_id: string;
  amount: bigint;
  remaining: bigint;
  expires_at: Date;
  expired_at: Date | null;
}

export interface IdempotencyKeysTable {
  user_id: number;
  method: string;
  path: string;
  key: string;
  body_digest: Buffer;
  status: number;
  body: string;
  created_at: Generated<Date>;
}

export interface IdempotentCallsTable {
  owner: string;
  operation: string;
  key_digest: Buffer;
  organization_id: string | null;
  body_digest: Buffer;
  claim: string;
  state: Generated<"running" | "answered" | "too_long">;
  leased_until: Date;
  expires_at: Date;
  answer: string | null;
}

export interface InvitationsTable {
  id: string;
  organization_id: string;
  team_id: string | null;
  email: string;
  role: "admin" | "member";
  token_digest: Buffer;
  invited_by: number;
  status: Generated<"pending" | "accepted" | "declined" | "revoked">;
  expires_at: Date;
  created_at: Generated<Date>;
  decided_at: Date | null;
}

export interface LeaseUseTable {
  organization_id: string;
  node_id: string;
  epoch: number;
  in_use: bigint;
  calls: number;
  at: Generated<Date>;
}

export interface LedgerAccountsTable {
  id: string;
  organization_id: string | null;
  may_be_negative: boolean;
  created_at: Generated<Date>;
}

export interface LedgerChainTable {
  organization_id: string;
  seq: bigint;
  transaction_id: string | null;
  usage_count: Generated<number>;
  usage_since: string | null;
  usage_digest: Buffer | null;
  salt: Buffer;
  created_at: Generated<Date>;
  previous_hash: Buffer | null;
  hash: Buffer;
}

export interface LedgerChainStartTable {
  is_only: Generated<boolean>;
  since: Date;
}

export interface LedgerCheckpointsTable {
  number: bigint;
  content: string;
  created_at: Generated<Date>;
}

export interface LedgerErasuresTable {
  usage_id: string;
  digest: Buffer;
  erased_at: Generated<Date>;
}

export interface LedgerPostingsTable {
  transaction_id: string;
  seq: number;
  source: string;
  destination: string;
  amount: bigint;
}

export interface LedgerTransactionsTable {
  id: string;
  kind: "purchase" | "grant" | "usage" | "usage_reversal" | "refund" | "dispute" | "dispute_won" | "expiry" | "adjustment" | "loss";
  organization_id: string | null;
  idempotency_key: string;
  body_digest: Buffer | null;
  reference: string | null;
  description: string | null;
  actor: string;
  metadata: Generated<Record<string, unknown>>;
  balance_after: bigint;
  created_at: Generated<Date>;
}

export interface LoginFailuresTable {
  email_digest: Buffer;
  failures: number;
  window_started_at: Date;
  locked_until: Date | null;
}

export interface LostAttemptsTable {
  day: string;
  event_id: string;
  seq: number;
  organization_id: string | null;
  reason: "retry" | "fallback" | "timeout" | "malformed" | "upstream";
  deployment_id: string;
  provider: string;
  input_tokens: bigint;
  cache_read_tokens: bigint;
  cache_write_tokens: bigint;
  output_tokens: bigint;
  reasoning_tokens: bigint;
  audio_input_tokens: bigint;
  audio_output_tokens: bigint;
  characters: bigint;
  audio_ms: bigint;
  images: bigint;
  searches: bigint;
  usage_source: "reported" | "estimated";
  price_version_id: string;
  cost: bigint;
  transaction_id: string | null;
  created_at: Generated<Date>;
  request_fees: Generated<bigint>;
  web_searches: Generated<bigint>;
  file_searches: Generated<bigint>;
  code_sessions: Generated<bigint>;
  tool_calls: Generated<bigint>;
  long_cache_write_tokens: Generated<bigint>;
}

export interface OpenRunStreamsTable {
  process: string;
  tenant: string;
  key_id: string;
  streams: number;
  reported_at: Generated<Date>;
}

export interface OrganizationMembersTable {
  organization_id: string;
  user_id: number;
  role: "owner" | "admin" | "member";
  joined_at: Generated<Date>;
}

export interface OrganizationOnboardingTable {
  organization_id: string;
  skipped: Generated<string[]>;
  is_dismissed: Generated<boolean>;
  updated_at: Generated<Date>;
}

export interface OrganizationQuotaTable {
  organization_id: string;
  balance: Generated<bigint>;
  leased: Generated<bigint>;
  mode: Generated<"slices" | "exact">;
  largest_hold: Generated<bigint>;
  largest_hold_at: Generated<Date>;
  recall: Generated<bigint>;
  total_purchased: Generated<bigint>;
  total_granted: Generated<bigint>;
  total_used: Generated<bigint>;
  total_refunded: Generated<bigint>;
  total_expired: Generated<bigint>;
  total_adjusted: Generated<bigint>;
  low_balance_threshold: bigint | null;
  version: Generated<bigint>;
  updated_at: Generated<Date>;
  chain_seq: Generated<bigint>;
  chain_hash: Buffer | null;
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
  owner_id: number | null;
  billing_email: string | null;
  is_personal: Generated<boolean>;
  log_prompts: Generated<boolean>;
  log_retention_days: Generated<number>;
  closed_at: Date | null;
  timezone: Generated<string>;
}

export interface OutboxTable {
  id: Generated<bigint>;
  organization_id: string | null;
  type: string;
  data: Generated<Record<string, unknown>>;
  created_at: Generated<Date>;
  delivered_at: Date | null;
  event_id: Generated<string>;
}

export interface PairingsTable {
  id: string;
  code_digest: Buffer;
  secret_digest: Buffer;
  client_name: string;
  ip: string;
  status: Generated<"pending" | "approved" | "denied" | "claimed">;
  user_id: number | null;
  organization_id: string | null;
  session_ends_at: Date | null;
  wrong_secrets: Generated<number>;
  created_at: Generated<Date>;
  expires_at: Date;
  decided_at: Date | null;
}

export interface ParkedEventsTable {
  id: string;
  organization_id: string | null;
  reason: string;
  event: Record<string, unknown>;
  parked_at: Generated<Date>;
  redriven_at: Date | null;
}

export interface PriceConfirmationsTable {
  model: string;
  digest: string;
  choice: "higher" | "first" | "second";
  confirmed_by: string;
  confirmed_at: Generated<Date>;
}

export interface PriceListEntriesTable {
  organization_id: string;
  model_group: string;
  share_millionths: bigint;
  fixed_nano: bigint;
  updated_at: Generated<Date>;
  fixed: Record<string, unknown> | null;
}

export interface PriceVersionsTable {
  id: string;
  model: string;
  input_pico: bigint;
  output_pico: bigint;
  cache_read_pico: bigint | null;
  cache_write_pico: bigint | null;
  reasoning_pico: bigint | null;
  first_seen_at: Generated<Date>;
  audio_input_pico: bigint | null;
  audio_output_pico: bigint | null;
  per_character_pico: bigint | null;
  per_second_pico: bigint | null;
  per_image_pico: bigint | null;
  tier_above: bigint | null;
  tier_input_pico: bigint | null;
  tier_output_pico: bigint | null;
  tier_cache_read_pico: bigint | null;
  tier_cache_write_pico: bigint | null;
  per_search_pico: bigint | null;
  per_request_pico: bigint | null;
  per_web_search_pico: bigint | null;
  per_file_search_pico: bigint | null;
  per_code_session_pico: bigint | null;
  per_tool_call_pico: bigint | null;
  long_cache_write_pico: bigint | null;
  tier_long_cache_write_pico: bigint | null;
  condition: string | null;
  cost_version_id: string | null;
}

export interface ProviderCredentialsTable {
  provider_id: string;
  api_key: string;
  updated_at: Generated<Date>;
}

export interface ProvidersTable {
  id: string;
  slug: string;
  name: string;
  kind: string;
  base_url: string | null;
  website: string | null;
  status: Generated<"available" | "degraded" | "unavailable">;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  deleted_at: Date | null;
}

export interface PurchasesTable {
  id: string;
  organization_id: string;
  created_by: number;
  idempotency_key: string;
  body_digest: Buffer;
  provider: "stripe" | "fake" | "manual";
  amount: bigint;
  fee: Generated<bigint>;
  tax: Generated<bigint>;
  refunded: Generated<bigint>;
  shortfall: Generated<bigint>;
  currency: Generated<string>;
  status: Generated<"pending" | "processing" | "paid" | "failed" | "expired" | "refunded" | "disputed" | "review">;
  provider_session_id: string | null;
  checkout_url: string | null;
  provider_payment_id: string | null;
  receipt_url: string | null;
  invoice_url: string | null;
  paid_at: Date | null;
  asked_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  checkout_at: Date | null;
  transaction_id: string | null;
  unblocked_teams: Generated<number>;
}

export interface ReconciliationReportsTable {
  id: Generated<bigint>;
  started_at: Date;
  finished_at: Date;
  is_ok: boolean;
  report: Record<string, unknown>;
}

export interface RefusedCallsTable {
  id: string;
  organization_id: string;
  team_id: string | null;
  key_id: string;
  user_id: string | null;
  request_id: string;
  endpoint: string;
  model_group: string;
  is_stream: boolean;
  http_status: number;
  error_code: string | null;
  class: Generated<"failed" | "refused" | "rejected" | "canceled">;
  weight: Generated<number>;
  requested_model: string | null;
  param: string | null;
  facts: Record<string, unknown> | null;
  session: string | null;
}

export interface RefusedRollupsTable {
  organization_id: string;
  bucket_at: Date;
  team_id: string;
  key_id: string;
  model_group: string;
  requests: bigint;
  failed: Generated<bigint>;
  rejected: Generated<bigint>;
  canceled: Generated<bigint>;
  unlogged: Generated<bigint>;
  unlogged_failed: Generated<bigint>;
  unlogged_rejected: Generated<bigint>;
  unlogged_canceled: Generated<bigint>;
}

export interface ResponsesTable {
  id: string;
  owner: string;
  organization_id: string | null;
  previous_id: string | null;
  created_at: Generated<Date>;
  expires_at: Generated<Date>;
  item_ids: Generated<string[]>;
  record: string;
  key_id: string | null;
}

export interface RunEventsTable {
  run_id: string;
  number: number;
  owner: string;
  events: string;
  created_at: Generated<Date>;
}

export interface RunQueueTable {
  run_id: string;
  tenant: string;
  key_id: string;
  queued_at: Date;
  worker_id: string | null;
  chosen_at: Date | null;
}

export interface RunStepsTable {
  id: string;
  run_id: string;
  thread_id: string;
  owner: string;
  created_at: Generated<Date>;
  record: string;
  key_id: string | null;
  organization_id: string | null;
}

export interface RunTurnsTable {
  run_id: string;
  number: number;
  attempt: number;
  call_label: string;
  state: Generated<"started" | "stored" | "failed" | "lost">;
  prompt_tokens: bigint | null;
  completion_tokens: bigint | null;
  started_at: Generated<Date>;
  cost: bigint | null;
}

export interface SchemaMigrationFailuresTable {
  id: Generated<number>;
  name: string;
  release: string;
  reason: string;
  failed_at: Generated<Date>;
}

export interface SessionsTable {
  id: string;
  user_id: number;
  current_jti: string;
  previous_jti: string | null;
  rotated_at: Generated<Date>;
  authenticated_at: Generated<Date>;
  active_organization_id: string | null;
  created_at: Generated<Date>;
  last_seen_at: Generated<Date>;
  expires_at: Date;
  revoked_at: Date | null;
  user_agent: string | null;
  ip: string | null;
}

export interface SignUpsTable {
  digest: Buffer;
  email: string;
  name: string;
  password_hash: string;
  organization_name: string | null;
  invitation_digest: Buffer | null;
  expires_at: Date;
  created_at: Generated<Date>;
}

export interface SigningKeysTable {
  kid: string;
  public_key: Record<string, unknown>;
  private_key: string;
  created_at: Generated<Date>;
  retired_at: Date | null;
  forgotten_at: Date | null;
}

export interface SpentBudgetNoticesTable {
  organization_id: string;
  scope: string;
  scope_id: string;
  starts_at: Date;
}

export interface StoredByteChangesTable {
  tenant: string;
  key_id: string;
  bytes: bigint;
}

export interface StoredBytesTable {
  tenant: string;
  key_id: string;
  bytes: bigint;
}

export interface TeamMembersTable {
  organization_id: string;
  team_id: string;
  user_id: number;
  role: "admin" | "member";
  joined_at: Generated<Date>;
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
  deleted_at: Date | null;
  metadata: Generated<Record<string, unknown>>;
}

export interface ThreadMessagesTable {
  id: string;
  thread_id: string;
  owner: string;
  run_id: string | null;
  created_at: Generated<Date>;
  record: string;
  key_id: string | null;
  organization_id: string | null;
}

export interface ThreadRunsTable {
  id: string;
  thread_id: string;
  owner: string;
  organization_id: string | null;
  key_id: string;
  assistant_id: string;
  status: "queued" | "in_progress" | "requires_action" | "cancelling" | "cancelled" | "failed" | "completed" | "incomplete" | "expired";
  created_at: Generated<Date>;
  queued_at: Generated<Date>;
  started_at: Date | null;
  expires_at: Date | null;
  ended_at: Date | null;
  cancel_by: Date | null;
  prompt_tokens: bigint | null;
  completion_tokens: bigint | null;
  is_streamed: Generated<boolean>;
  lease_number: Generated<number>;
  leased_until: Date | null;
  takeovers: Generated<number>;
  record: string;
  cost: bigint | null;
}

export interface ThreadsTable {
  id: string;
  owner: string;
  organization_id: string | null;
  created_at: Generated<Date>;
  touched_at: Generated<Date>;
  message_count: Generated<number>;
  record: string;
  key_id: string | null;
}

export interface UnchainedTransactionsTable {
  transaction_id: string;
  organization_id: string | null;
  created_at: Date;
}

export interface UsageDaySealsTable {
  day: string;
  organization_id: string;
  events: bigint;
  cost: bigint;
  billed: bigint;
  digest: Buffer;
  sealed_at: Generated<Date>;
  loss: Generated<bigint>;
}

export interface UsageDaysTable {
  organization_id: string;
  day: string;
  team_id: string;
  key_id: string;
  model_group: string;
  provider: string;
  requests: bigint;
  errors: bigint;
  input_tokens: bigint;
  cache_read_tokens: bigint;
  cache_write_tokens: bigint;
  output_tokens: bigint;
  reasoning_tokens: bigint;
  cost: bigint;
  latency_ms_sum: bigint;
  max_cost: bigint;
  max_latency_ms: number;
  max_tokens: bigint;
  latency_0: number;
  latency_1: number;
  latency_2: number;
  latency_3: number;
  latency_4: number;
  latency_5: number;
  latency_6: number;
  latency_7: number;
  latency_8: number;
  latency_9: number;
  latency_10: number;
  latency_11: number;
  latency_12: number;
  latency_13: number;
  latency_14: number;
  latency_15: number;
  latency_16: number;
  latency_17: number;
  latency_18: number;
  latency_19: number;
  margin: Generated<bigint>;
  cache_saved: Generated<bigint>;
  canceled: Generated<bigint>;
  rejected: Generated<bigint>;
}

export interface UsageEventsTable {
  id: string;
  day: string;
  organization_id: string | null;
  team_id: string | null;
  key_id: string;
  user_id: string | null;
  request_id: string;
  endpoint: string;
  model_group: string;
  deployment_id: string | null;
  provider: string | null;
  is_stream: boolean;
  status: "success" | "failure" | "client_disconnect";
  http_status: number;
  error_code: string | null;
  input_tokens: bigint;
  cache_read_tokens: bigint;
  cache_write_tokens: bigint;
  output_tokens: bigint;
  reasoning_tokens: bigint;
  usage_source: "reported" | "estimated";
  price_version_id: string | null;
  cost: bigint;
  is_billed: boolean;
  hold: bigint;
  from_lease: bigint;
  node_id: string;
  epoch: number;
  latency_ms: number;
  first_token_ms: number | null;
  transaction_id: string | null;
  state: Generated<"settled" | "void">;
  ended_at: Date;
  settled_at: Generated<Date>;
  audio_input_tokens: Generated<bigint>;
  audio_output_tokens: Generated<bigint>;
  characters: Generated<bigint>;
  audio_ms: Generated<bigint>;
  images: Generated<bigint>;
  attempts: Generated<number>;
  fallback_from: string | null;
  end_user: string | null;
  gateway_before_us: number | null;
  queue_us: number | null;
  failed_us: number | null;
  gateway_after_us: number | null;
  searches: Generated<bigint>;
  loss: Generated<bigint>;
  loss_transaction_id: string | null;
  request_fees: Generated<bigint>;
  web_searches: Generated<bigint>;
  file_searches: Generated<bigint>;
  code_sessions: Generated<bigint>;
  tool_calls: Generated<bigint>;
  long_cache_write_tokens: Generated<bigint>;
  provider_cost: bigint | null;
  reported_cost: bigint | null;
  chain_seq: bigint | null;
  session: string | null;
}

export interface UsageHoursTable {
  organization_id: string;
  hour_at: Date;
  team_id: string;
  key_id: string;
  model_group: string;
  provider: string;
  requests: bigint;
  errors: bigint;
  input_tokens: bigint;
  cache_read_tokens: bigint;
  cache_write_tokens: bigint;
  output_tokens: bigint;
  reasoning_tokens: bigint;
  cost: bigint;
  latency_ms_sum: bigint;
  max_cost: bigint;
  max_latency_ms: number;
  max_tokens: bigint;
  latency_0: number;
  latency_1: number;
  latency_2: number;
  latency_3: number;
  latency_4: number;
  latency_5: number;
  latency_6: number;
  latency_7: number;
  latency_8: number;
  latency_9: number;
  latency_10: number;
  latency_11: number;
  latency_12: number;
  latency_13: number;
  latency_14: number;
  latency_15: number;
  latency_16: number;
  latency_17: number;
  latency_18: number;
  latency_19: number;
  margin: Generated<bigint>;
  cache_saved: Generated<bigint>;
  canceled: Generated<bigint>;
  rejected: Generated<bigint>;
}

export interface UsageRollupsTable {
  organization_id: string;
  bucket_at: Date;
  team_id: string;
  key_id: string;
  model_group: string;
  provider: string;
  requests: bigint;
  errors: bigint;
  input_tokens: bigint;
  cache_read_tokens: bigint;
  cache_write_tokens: bigint;
  output_tokens: bigint;
  reasoning_tokens: bigint;
  cost: bigint;
  latency_ms_sum: bigint;
  max_cost: Generated<bigint>;
  max_latency_ms: Generated<number>;
  max_tokens: Generated<bigint>;
  latency_0: Generated<number>;
  latency_1: Generated<number>;
  latency_2: Generated<number>;
  latency_3: Generated<number>;
  latency_4: Generated<number>;
  latency_5: Generated<number>;
  latency_6: Generated<number>;
  latency_7: Generated<number>;
  latency_8: Generated<number>;
  latency_9: Generated<number>;
  latency_10: Generated<number>;
  latency_11: Generated<number>;
  latency_12: Generated<number>;
  latency_13: Generated<number>;
  latency_14: Generated<number>;
  latency_15: Generated<number>;
  latency_16: Generated<number>;
  latency_17: Generated<number>;
  latency_18: Generated<number>;
  latency_19: Generated<number>;
  margin: Generated<bigint>;
  cache_saved: Generated<bigint>;
  canceled: Generated<bigint>;
  rejected: Generated<bigint>;
}

export interface UserCredentialsTable {
  user_id: number;
  password_hash: string;
  password_changed_at: Generated<Date>;
  totp_secret: string | null;
  totp_confirmed_at: Date | null;
  totp_last_step: bigint | null;
}

export interface UserPreferencesTable {
  user_id: number;
  preferences: Record<string, unknown>;
  updated_at: Generated<Date>;
}

export interface UserTokensTable {
  digest: Buffer;
  user_id: number;
  purpose: "reset_password" | "verify_email";
  expires_at: Date;
  used_at: Date | null;
  created_at: Generated<Date>;
}

export interface UsersTable {
  id: Generated<number>;
  email: string;
  name: string;
  role: Generated<"user" | "admin">;
  status: Generated<"active" | "disabled" | "deleted">;
  email_verified_at: Date | null;
  last_organization_id: string | null;
  last_login_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  administrator_since: Date | null;
}

export interface WebhookDeliveriesTable {
  webhook_id: string;
  outbox_id: bigint;
  organization_id: string;
  attempts: Generated<number>;
  last_outcome: string | null;
  next_at: Date;
  delivered_at: Date | null;
  given_up_at: Date | null;
}

export interface WebhookEventsTable {
  provider: "stripe" | "fake";
  event_id: string;
  kind: string;
  payment_id: string | null;
  purchase_id: string | null;
  organization_id: string | null;
  is_foreign: Generated<boolean>;
  facts: Record<string, unknown>;
  received_at: Generated<Date>;
}

export interface WebhooksTable {
  id: string;
  organization_id: string;
  url: string;
  events: string[];
  secret: string;
  status: Generated<"active" | "disabled">;
  disabled_at: Date | null;
  last_delivered_at: Date | null;
  created_by: number;
  created_at: Generated<Date>;
}

export interface Tables {
  api_keys: ApiKeysTable;
  assistants: AssistantsTable;
  audit_log: AuditLogTable;
  audit_personal: AuditPersonalTable;
  budget_leases: BudgetLeasesTable;
  budget_windows: BudgetWindowsTable;
  budgets: BudgetsTable;
  call_contents: CallContentsTable;
  catalog_editions: CatalogEditionsTable;
  catalogue_models: CatalogueModelsTable;
  change_feed: ChangeFeedTable;
  change_feed_state: ChangeFeedStateTable;
  checkpoint_sinks: CheckpointSinksTable;
  checkpointed_chains: CheckpointedChainsTable;
  credit_leases: CreditLeasesTable;
  gateway_nodes: GatewayNodesTable;
  grant_lots: GrantLotsTable;
  idempotency_keys: IdempotencyKeysTable;
  idempotent_calls: IdempotentCallsTable;
  invitations: InvitationsTable;
  lease_use: LeaseUseTable;
  ledger_accounts: LedgerAccountsTable;
  ledger_chain: LedgerChainTable;
  ledger_chain_start: LedgerChainStartTable;
  ledger_checkpoints: LedgerCheckpointsTable;
  ledger_erasures: LedgerErasuresTable;
  ledger_postings: LedgerPostingsTable;
  ledger_transactions: LedgerTransactionsTable;
  login_failures: LoginFailuresTable;
  lost_attempts: LostAttemptsTable;
  open_run_streams: OpenRunStreamsTable;
  organization_members: OrganizationMembersTable;
  organization_onboarding: OrganizationOnboardingTable;
  organization_quota: OrganizationQuotaTable;
  organizations: OrganizationsTable;
  outbox: OutboxTable;
  pairings: PairingsTable;
  parked_events: ParkedEventsTable;
  price_confirmations: PriceConfirmationsTable;
  price_list_entries: PriceListEntriesTable;
  price_versions: PriceVersionsTable;
  provider_credentials: ProviderCredentialsTable;
  providers: ProvidersTable;
  purchases: PurchasesTable;
  reconciliation_reports: ReconciliationReportsTable;
  refused_calls: RefusedCallsTable;
  refused_rollups: RefusedRollupsTable;
  responses: ResponsesTable;
  run_events: RunEventsTable;
  run_queue: RunQueueTable;
  run_steps: RunStepsTable;
  run_turns: RunTurnsTable;
  schema_migration_failures: SchemaMigrationFailuresTable;
  sessions: SessionsTable;
  sign_ups: SignUpsTable;
  signing_keys: SigningKeysTable;
  spent_budget_notices: SpentBudgetNoticesTable;
  stored_byte_changes: StoredByteChangesTable;
  stored_bytes: StoredBytesTable;
  team_members: TeamMembersTable;
  teams: TeamsTable;
  thread_messages: ThreadMessagesTable;
  thread_runs: ThreadRunsTable;
  threads: ThreadsTable;
  unchained_transactions: UnchainedTransactionsTable;
  usage_day_seals: UsageDaySealsTable;
  usage_days: UsageDaysTable;
  usage_events: UsageEventsTable;
  usage_hours: UsageHoursTable;
  usage_rollups: UsageRollupsTable;
  user_credentials: UserCredentialsTable;
  user_preferences: UserPreferencesTable;
  user_tokens: UserTokensTable;
  users: UsersTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_events: WebhookEventsTable;
  webhooks: WebhooksTable;
}
