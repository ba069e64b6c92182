import type { TSchema } from "typebox";
import { AuditRow } from "../management/audit.ts";
import { Budget, RateLimit } from "../management/budget.ts";
import { Balance, CreditTransaction, Quota } from "../management/credit.ts";
import { Session, SignedInUser, TokenResponse } from "../management/identity.ts";
import { Invitation } from "../management/invitation.ts";
import { ApiKey } from "../management/key.ts";
import { ListMeta } from "../management/lists.ts";
import { AdminModel, ModelPricing, PublicModel } from "../management/model.ts";
import { Usd } from "../management/money.ts";
import { Organization } from "../management/organization.ts";
import { AdminProvider, PublicProvider } from "../management/provider.ts";
import { Purchase } from "../management/purchase.ts";
import { Reconciliation } from "../management/reconciliation.ts";
import { Team } from "../management/team.ts";
import { CallLog, UsageReport } from "../management/usage.ts";
import { AdminOrganization, User } from "../management/user.ts";
import { Webhook } from "../management/webhook.ts";

/** Schemas that the management API document refers to by name. They are recognized by object identity. */
export const namedManagementSchemas: Readonly<Record<string, TSchema>> = {
  TokenResponse,
  SignedInUser,
  User,
  Session,
  Organization,
  AdminOrganization,
  Team,
  Invitation,
  ApiKey,
  Budget,
  RateLimit,
  Model: PublicModel,
  ModelPricing,
  AdminModel,
  Provider: PublicProvider,
  AdminProvider,
  Balance,
  Quota,
  Purchase,
  CreditTransaction,
  CallLog,
  UsageReport,
  Webhook,
  AuditRow,
  Reconciliation,
  ListMeta,
  Usd,
};
