import { invalidField } from "@tollgate/contracts/management/failure.ts";
import {
  defaultPreferences,
  MAX_PREFERENCES_BYTES,
  PreferencesAnswer,
  PreferencesChange,
} from "@tollgate/contracts/management/preferences.ts";
import { keepPreferences, lockPreferences, readPreferences } from "@tollgate/db/preferences/preferences.ts";
import { type ManagementOperation, operation, read, write } from "../operation.ts";

const getPreferences = operation({
  ...read,
  id: "getPreferences",
  summary: "Get your console preferences",
  tag: "identity",
  path: "/api/preferences",
  auth: "user",
  scope: "user",
  answers: { 200: { description: "Your preferences, with defaults for unset values", schema: PreferencesAnswer } },
  handle: async ({ caller }, transaction) => {
    const kept = await readPreferences(transaction, caller.userId);
    return { status: 200, body: { preferences: { ...defaultPreferences, ...kept } } };
  },
});

const updatePreferences = operation({
  ...write,
  method: "PATCH",
  id: "updatePreferences",
  summary: "Update your console preferences",
  tag: "identity",
  path: "/api/preferences",
  auth: "user",
  scope: "user",
  idempotency: "none",
  body: PreferencesChange,
  answers: { 200: { description: "All preferences after the update", schema: PreferencesAnswer } },
  handle: async ({ caller, body }, transaction, { now }) => {
    if (typeof body.timezone === "string" && !isTimezone(body.timezone)) {
      throw invalidField("timezone", "must be an IANA time zone name, such as Europe/Berlin");
    }
    const kept = { ...(await lockPreferences(transaction, caller.userId)), ...body };
    if (Buffer.byteLength(JSON.stringify(kept)) > MAX_PREFERENCES_BYTES) {
      throw invalidField(
        "savedViews",
        `would exceed the limit of ${MAX_PREFERENCES_BYTES / 1_024} KB for all preferences`,
      );
    }
    await keepPreferences(transaction, caller.userId, kept, now());
    return { status: 200, body: { preferences: { ...defaultPreferences, ...kept } } };
  },
});

export const preferenceOperations: readonly ManagementOperation[] = [getPreferences, updatePreferences];

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
