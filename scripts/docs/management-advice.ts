import type { ManagementReason } from "../../packages/contracts/src/failure-table.ts";
import type { ErrorAdvice } from "./error-advice.ts";

const signIn = "Sign in again with `tollgate login`, in the console, or with `POST /api/auth/token`.";
const askAdministrator =
  "Ask an organization administrator. For roles and permissions, see [Management API overview](../../guides/platform.md).";
const sameKey = "Retry with the same `Idempotency-Key`. The operation never runs twice.";

/** Advice for every management API reason. The compiler reports missing ones. */
export const managementAdvice: Readonly<Record<ManagementReason, ErrorAdvice>> = {
  NOT_SIGNED_IN: {
    message: "Sign in first: send Authorization: Bearer <token>.",
    causes: ["The request has no token, or the token is from another Tollgate instance."],
    fix: [signIn, "API keys (`sk-…`) are for inference requests. The management API requires a user's token."],
  },
  TOKEN_EXPIRED: {
    message: "The token has expired. Refresh it.",
    causes: ["The token's lifetime has ended. Tokens are short-lived by design."],
    fix: [
      "Within seven days of expiration, refresh the token with `POST /api/auth/token/refresh`. The SDK and the CLI do this automatically.",
      signIn,
    ],
  },
  SESSION_REVOKED: {
    message: "The session has ended. Sign in again.",
    causes: ["The user signed out everywhere or changed their password, or an administrator ended the session."],
    fix: [signIn],
  },
  BAD_CREDENTIALS: {
    message: "The email address, password, or code is wrong.",
    causes: ["The email address, password, or one-time code is wrong. For security, the error does not say which one."],
    fix: ["Try again, or reset your password. After five wrong passwords, you must wait before each further attempt."],
  },
  TOTP_REQUIRED: {
    message: "This account requires a one-time code. Send it as totp.",
    causes: ["One-time codes are enabled for the account."],
    fix: ["Send the code from your authenticator app as `totp`."],
  },
  INVALID_API_KEY: {
    message: "This API key was revoked.",
    causes: ["The key in the body is malformed, unknown, expired, or disabled."],
    fix: ["Send a key ID (`key_…`) or a full secret."],
  },
  BAD_SIGNATURE: {
    message: "The signature does not match the body or has expired.",
    causes: ["The webhook secret does not match, a proxy changed the body, or a clock is wrong."],
    fix: [
      "Compare the secret with the webhook secret on the payment provider's page, and pass the body through unchanged.",
    ],
  },
  ROLE_REQUIRED: {
    message: "Only team members and organization administrators can create keys in this team.",
    causes: ["Your role in the organization or team does not allow this operation."],
    fix: [askAdministrator],
  },
  ADMIN_REQUIRED: {
    message: "This operation requires a platform administrator.",
    causes: ["The operation affects the whole server."],
    fix: ["Ask an administrator, or create an administrator with `tollgate admin create`."],
  },
  ACCOUNT_DISABLED: {
    message: "This account is disabled.",
    causes: ["An administrator disabled the account."],
    fix: ["Ask a platform administrator."],
  },
  EMAIL_UNVERIFIED: {
    message: "Verify your email address first. Follow the link in the email we sent.",
    causes: ["The link in the verification email has not been opened yet."],
    fix: [
      "Open the link, or request another email. If no mail server is configured, operators can find the link in the `dev` log.",
    ],
  },
  NO_ACTIVE_ORGANIZATION: {
    message: "You are not a member of any organization. Create one, or ask for an invitation.",
    causes: ["You are not a member of any organization, or you are a member of several and none is active."],
    fix: [
      "Choose an organization with `--org` in the CLI or `organizationId` in the request, or create an organization.",
    ],
  },
  SIGN_UP_CLOSED: {
    message: "Sign-up is not open on this server (signUp.mode: closed). Ask the operator for an account.",
    causes: ["The operator has closed sign-up or limited it to invited users."],
    fix: ["Ask for an invitation. Operators can change `signUp.mode`. See [tollgate.yaml](../../config/settings.md)."],
  },
  REAUTHENTICATION_REQUIRED: {
    message: "Confirm your password first: POST /api/auth/reauthenticate.",
    causes: ["The operation requires a sign-in within the last 10 minutes."],
    fix: ["Confirm your password, then retry the request."],
  },
  TOTP_ENROLLMENT_REQUIRED: {
    message: "Enable one-time codes for your account first: POST /api/auth/totp.",
    causes: ["This server requires one-time codes for administrators."],
    fix: ["Enable one-time codes under Account in the console."],
  },
  PAIRING_DENIED: {
    message: "The sign-in was denied in the browser.",
    causes: ["A user selected Deny for the `tollgate login` code."],
    fix: ["Run `tollgate login` again and compare the codes."],
  },
  CROSS_ORIGIN: {
    message: "Cookie-authenticated changes require this site's Origin and the X-Gw-Csrf header.",
    causes: ["A page on another site sent the request, or a proxy changes `Origin` or `Host`."],
    fix: [
      "In programs, send a token instead of a cookie.",
      "Behind a proxy, set the public URL (`platform.publicUrl`) and forward `Host`.",
    ],
  },
  MODEL_NOT_ALLOWED: {
    message: "The key cannot use this model.",
    causes: ["The key is limited to a list of models that does not include this model."],
    fix: ["Choose another model or another key."],
  },
  RATE_LIMITED: {
    message: "Too many requests. Try again later.",
    causes: ["A user or IP address exceeded the rate limit for this operation."],
    fix: [
      "Wait for the number of seconds in `Retry-After`, then retry. The limits are set under `limits`. See [tollgate.yaml](../../config/settings.md).",
    ],
  },
  MODEL_RATE_LIMITED: {
    message: "Key 'ci-bot' has reached its limit of 2 requests per minute (2 used, resets in 12 s).",
    causes: [
      "A request to a model, such as one from the playground, reached a rate limit of its key, team, or organization.",
      "The model's provider reached its own rate limit.",
    ],
    fix: [
      "Wait for the number of seconds in `Retry-After`, then retry.",
      "Raise the limit. See [Credit, budgets, and limits](../../guides/credit.md).",
    ],
  },
  LOGIN_LOCKED: {
    message: "Too many failed sign-ins. Try again later.",
    causes: [
      "This client sent five or more wrong passwords for the account.",
      "Unknown clients together sent 20 wrong passwords for the account within an hour.",
    ],
    fix: [
      "Wait for the number of seconds in `Retry-After`, then retry. Existing sessions are not affected. Wrong passwords from other clients do not lock out a browser in which the account owner has signed in before.",
    ],
  },
  INVALID_FIELD: {
    message: "name must be 1 to 100 characters",
    causes: ["Fields are missing or invalid. `details.fields` has one message for each field."],
    fix: ["Fix each field listed in `details.fields`."],
  },
  INVALID_JSON: {
    message: "The body is not valid JSON.",
    causes: ["The body is not a JSON object, or it is nested too deeply."],
    fix: ["Check quotes and commas. Shells remove unescaped quotes."],
  },
  AMOUNT_NOT_EXACT: {
    message: "amount must be a whole number of nano-USD: an integer up to 9007199254740991, or a string of digits.",
    causes: ["The amount is a fraction, or a number that JSON cannot represent exactly."],
    fix: ['Send the amount in nano-USD as a string of digits: 5 USD is `"5000000000"`.'],
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    message: "The Idempotency-Key header is required so that a retry never moves money twice.",
    causes: ["The operation moves money."],
    fix: [
      "Send a new random key with each request and reuse it for retries. See [Idempotency](../../api/idempotency.md).",
    ],
  },
  MASKED_KEY: {
    message: "This is a masked key. Send the key's ID, such as key_01J…, or its secret.",
    causes: ["The masked form that the console shows (`sk-tg-…abcd`) was sent as the key."],
    fix: ["Send the key ID."],
  },
  WEAK_PASSWORD: {
    message: "The password is one of the most common ones.",
    causes: ["The password is too short, too long, too common, or the user's own name."],
    fix: ["Choose another password. Length matters more than special characters."],
  },
  TARGET_REFUSED: {
    message: "url leads to a private address.",
    causes: ["The URL of a webhook or provider is private, local, or not https."],
    fix: [
      "Use a public https URL. Operators can allow a private host in [`platform.outboundAllow`](../../guides/webhooks.md#private-and-loopback-targets).",
    ],
  },
  EMAIL_TAKEN: {
    message: "An account with this email address already exists. Sign in instead.",
    causes: ["The email address already has an account."],
    fix: ["Sign in, or reset your password."],
  },
  NAME_TAKEN: {
    message: "Another team has this name.",
    causes: ["Names are unique within an organization."],
    fix: ["Choose another name."],
  },
  ALREADY_MEMBER: {
    message: "This user is already a member of the team.",
    causes: ["The user was added earlier."],
    fix: ["Change the user's role instead."],
  },
  LAST_OWNER: {
    message: "This is the organization's last owner. Make another member an owner first.",
    causes: ["An organization without an owner cannot be managed."],
    fix: ["Make another member an owner first."],
  },
  LAST_ADMIN: {
    message: "This is the last administrator. Promote another user first.",
    causes: ["A server needs at least one administrator."],
    fix: ["Promote another user to administrator first."],
  },
  SELF: {
    message: "You cannot delete your own account. Ask another administrator.",
    causes: ["The operation is not available for your own account."],
    fix: ["Ask another administrator."],
  },
  KEY_REVOKED: {
    message: "This key was revoked permanently. Create a new key.",
    causes: ["Revocation is permanent, so that a leaked key can never work again."],
    fix: ["Create a new key."],
  },
  MODEL_EXISTS: {
    message: "Model 'fast' already exists in a settings file, which takes precedence. Choose another ID.",
    causes: ["A settings file or the database already has a model with this ID."],
    fix: ["Choose another ID, or update the existing model."],
  },
  PROVIDER_EXISTS: {
    message: "Slug 'acme' is already used by another provider. Choose a different slug.",
    causes: ["Slugs are unique."],
    fix: ["Choose another slug."],
  },
  IN_USE: {
    message: "Provider 'acme' still serves 3 models. Disable them first.",
    causes: ["Other objects depend on the object that you want to delete."],
    fix: ["Delete or disable the objects named in the message first."],
  },
  LIMIT_REACHED: {
    message: "The organization has reached its limit of 10 webhooks. Delete one first.",
    causes: ["The maximum number of items or the daily amount limit has been reached."],
    fix: ["Delete an item or wait until the next day, depending on the message."],
  },
  PAIRING_EXPIRED: {
    message: "The code was not confirmed in time.",
    causes: ["The `tollgate login` code was not confirmed in the browser in time."],
    fix: ["Run `tollgate login` again."],
  },
  WRONG_STATE: {
    message: "The purchase has no checkout yet. Retry the request that created it.",
    causes: ["The object is not in the state that the operation requires."],
    fix: ["Fetch the object again and check its state."],
  },
  NEGATIVE_BALANCE: {
    message: "The team is blocked because its organization's balance is below zero. Adding credit unblocks it.",
    causes: ["The organization's balance is below zero. Only new credit lifts this block."],
    fix: ["Buy credit. The teams are then unblocked automatically."],
  },
  IDEMPOTENCY_KEY_REUSED: {
    message: "This Idempotency-Key was already used with a different request body.",
    causes: ["One key was used for two different requests."],
    fix: ["Use a new key for each request. See [Idempotency](../../api/idempotency.md)."],
  },
  IDEMPOTENCY_IN_PROGRESS: {
    message: "The first request with this Idempotency-Key is still in progress.",
    causes: ["A retry arrived before the first request finished."],
    fix: ["Wait for the number of seconds in `Retry-After`, then retry."],
  },
  BODY_TOO_LARGE: {
    message: "The request body is too large for this operation.",
    causes: ["The body exceeds the size limit for this operation."],
    fix: ["Send a smaller body."],
  },
  WRONG_MEDIA_TYPE: {
    message: "Send the body as application/json.",
    causes: ["`content-type` is missing or is not `application/json`."],
    fix: ['Add `-H "content-type: application/json"`.'],
  },
  UNKNOWN_PATH: {
    message: "Unknown path.",
    causes: ["The path is mistyped or belongs to another version."],
    fix: ["Compare the path with `/api/openapi.json`."],
  },
  UNKNOWN_OBJECT: {
    message: "API key not found.",
    causes: [
      "The ID is wrong, the object was deleted, or it belongs to another organization. The error is the same in all cases, by design.",
    ],
    fix: ["Check the ID and your active organization."],
  },
  MODEL_NOT_FOUND: {
    message: "Model not found.",
    causes: ["The model ID is mistyped, or the model was deleted."],
    fix: ["`tollgate models list` lists the available models."],
  },
  WRONG_METHOD: {
    message: "Use GET for this path.",
    causes: ["The path does not support the request's method."],
    fix: ["Use a method from the `Allow` header."],
  },
  OUT_OF_CREDIT: {
    message: "Not enough credits.",
    causes: ["The organization's credit or a budget does not cover the request."],
    fix: ["Buy credit, or raise the budget. See [Credit, budgets, and limits](../../guides/credit.md)."],
  },
  TEAM_BLOCKED: {
    message: "The team is blocked.",
    causes: ["The balance is below zero, or an administrator blocked the team. `blockedReason` states the reason."],
    fix: ["Buy credit, or ask the administrator."],
  },
  UNEXPECTED: {
    message: "An internal error occurred. Include the request ID when you report it.",
    causes: ["Tollgate has a bug."],
    fix: ["Operators can find the cause in the log by `requestId`."],
  },
  UPSTREAM_FAILED: {
    message: "The payment provider rejected the request. You were not charged.",
    causes: ["The model or the payment provider failed or rejected the request."],
    fix: [sameKey],
  },
  UNAVAILABLE: {
    message: "The payment provider cannot be reached. Retry with the same Idempotency-Key.",
    causes: ["A service that the platform depends on is unavailable."],
    fix: [sameKey, "Operators: run `tollgate doctor`."],
  },
  UPSTREAM_TIMEOUT: {
    message: "The model did not respond in time.",
    causes: ["The model did not respond before the console's timeout."],
    fix: ["Try again, or call the gateway directly, which waits longer."],
  },
  DB_TIMEOUT: {
    message: "The database did not respond in time. Try again.",
    causes: ["The database is unavailable or slow, or the query covers too much data."],
    fix: ["Try again. For reports, narrow the date range."],
  },
};
