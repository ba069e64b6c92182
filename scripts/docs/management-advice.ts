import type { ManagementReason } from "../../packages/contracts/src/management/failure.ts";
import type { ErrorAdvice } from "./error-advice.ts";

const signIn = "Sign in again: `tollgate login`, the console, or `POST /api/auth/token`.";
const askAdministrator =
  "Ask an administrator of the organization. Who may do what: [The platform](../../guides/platform.md).";
const sameKey = "Send the same request with the same `Idempotency-Key` again: it never happens twice.";

/** For every reason of the management interface; a reason without advice does not compile. */
export const managementAdvice: Readonly<Record<ManagementReason, ErrorAdvice>> = {
  NOT_SIGNED_IN: {
    message: "Sign in first: send Authorization: Bearer <token>.",
    causes: ["The request has no token, or one of another instance."],
    fix: [signIn, "API keys (`sk-…`) are for calls; the management interface takes tokens of people."],
  },
  TOKEN_EXPIRED: {
    message: "The token has expired. Refresh it.",
    causes: ["Tokens are short-lived on purpose."],
    fix: [
      "`POST /api/auth/token/refresh` gives the next one within seven days; the SDK and the CLI do so by themselves.",
      signIn,
    ],
  },
  SESSION_REVOKED: {
    message: "The session was ended. Sign in again.",
    causes: ["Somebody signed out everywhere, changed the password, or an administrator ended the session."],
    fix: [signIn],
  },
  BAD_CREDENTIALS: {
    message: "The email address, the password or the code is wrong.",
    causes: ["One of the three is wrong; which one is not told on purpose."],
    fix: ["Try again, or ask for a new password. After five wrong passwords there is a wait before each further try."],
  },
  TOTP_REQUIRED: {
    message: "This account asks for a one-time code as well: send it as totp.",
    causes: ["The account has one-time codes switched on."],
    fix: ["Send the code of the authenticator as `totp`."],
  },
  INVALID_API_KEY: {
    message: "This API key was revoked.",
    causes: ["The key in the body is malformed, unknown, expired or disabled."],
    fix: ["Send the id of a key (`key_…`) or its whole secret."],
  },
  BAD_SIGNATURE: {
    message: "The signature does not match the body, or it is not recent.",
    causes: ["The secret of the webhook is another one, a proxy changed the body, or a clock is wrong."],
    fix: ["Compare the secret with the payment provider's page, and hand on the body byte for byte."],
  },
  ROLE_REQUIRED: {
    message: "Only members of the team and administrators of the organization create keys in it.",
    causes: ["Your role in the organization or team does not allow this."],
    fix: [askAdministrator],
  },
  ADMIN_REQUIRED: {
    message: "This needs an administrator of the platform.",
    causes: ["The operation concerns the whole installation."],
    fix: ["Ask an administrator, or make one: `tollgate admin create`."],
  },
  ACCOUNT_DISABLED: {
    message: "This account is disabled.",
    causes: ["An administrator disabled the account."],
    fix: ["Ask an administrator of the installation."],
  },
  EMAIL_UNVERIFIED: {
    message: "Verify your address first: follow the link in the mail we sent.",
    causes: ["The link of the mail was not followed yet."],
    fix: ["Follow the link, or ask for another mail. Operators without mail find it in the log of `dev`."],
  },
  NO_ACTIVE_ORGANIZATION: {
    message: "You belong to no organization. Create one, or ask for an invitation.",
    causes: ["You belong to no organization, or to several and none is chosen."],
    fix: ["Name one: `--org` of the CLI, `organizationId` of a request; or create one."],
  },
  SIGN_UP_CLOSED: {
    message: "This installation takes no sign-ups (signUp.mode: closed). Ask an administrator for an invitation.",
    causes: ["The operator takes invited people only, or nobody."],
    fix: ["Ask for an invitation. Operators: `signUp.mode`: [tollgate.yaml](../../config/settings.md)."],
  },
  REAUTHENTICATION_REQUIRED: {
    message: "Show your password again first: POST /api/auth/reauthenticate.",
    causes: ["The operation needs a password shown in the last ten minutes."],
    fix: ["Show it again, then send the same request."],
  },
  TOTP_ENROLMENT_REQUIRED: {
    message: "Switch on one-time codes for your account first: POST /api/auth/totp.",
    causes: ["The installation asks administrators for one-time codes."],
    fix: ["Switch them on under Account in the console."],
  },
  PAIRING_DENIED: {
    message: "The browser turned this terminal away.",
    causes: ["Somebody pressed Deny for the code of `tollgate login`."],
    fix: ["Run `tollgate login` again and compare the codes."],
  },
  CROSS_ORIGIN: {
    message: "A change made with a cookie needs this site's Origin and X-Gw-Csrf.",
    causes: ["A page of another site sent it, or a proxy changes `Origin` or `Host`."],
    fix: [
      "Programs send a token instead of a cookie.",
      "Behind a proxy, set the public address (`platform.publicUrl`) and hand on `Host`.",
    ],
  },
  MODEL_NOT_ALLOWED: {
    message: "The key may not use this model.",
    causes: ["The key has a list of models and this one is not on it."],
    fix: ["Choose another model or another key."],
  },
  RATE_LIMITED: {
    message: "Too many requests. Try again later.",
    causes: ["One person or one address sent more than the limit of this operation."],
    fix: ["Wait for `Retry-After`. The limits are under `limits`: [tollgate.yaml](../../config/settings.md)."],
  },
  LOGIN_LOCKED: {
    message: "Too many failed logins. Try again later.",
    causes: [
      "This client sent five or more wrong passwords for the account.",
      "Unknown clients together sent 20 wrong passwords for the account within an hour.",
    ],
    fix: [
      "Wait for `Retry-After`. Open sessions stay open, and a browser in which the owner signed in before is not affected by the wrong passwords of others.",
    ],
  },
  INVALID_FIELD: {
    message: "name must be 1 to 100 characters",
    causes: ["Fields are missing or wrong; `details.fields` has one sentence for each."],
    fix: ["Mend each field that `details.fields` names."],
  },
  INVALID_JSON: {
    message: "The body is not valid JSON.",
    causes: ["The body is not a JSON object, or nested too deeply."],
    fix: ["Look at quotes and commas; shells take quotes away."],
  },
  AMOUNT_NOT_EXACT: {
    message: "amount must be a whole number of nano-USD: an integer up to 9007199254740991, or a string of digits.",
    causes: ["A fraction, or a number beyond what JSON carries exactly."],
    fix: ['Send nano-USD as digits: 5 USD are `"5000000000"`.'],
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    message: "Send an Idempotency-Key header: the same key with the same body never moves money twice.",
    causes: ["The operation moves money."],
    fix: [
      "Send a new random key with each request, and the same one with its retries: [Idempotency](../../api/idempotency.md).",
    ],
  },
  MASKED_KEY: {
    message: "A masked key names no key. Send its id, such as key_01J…, or the secret.",
    causes: ["What the console shows (`sk-tg-…abcd`) was sent as if it were the key."],
    fix: ["Send the id."],
  },
  WEAK_PASSWORD: {
    message: "The password is one of the most common ones.",
    causes: ["Too short, too long, too common, or the name of its owner."],
    fix: ["Choose another one; length counts more than signs."],
  },
  TARGET_REFUSED: {
    message: "url leads to a private address.",
    causes: ["The address of a webhook or provider is private, local or not https."],
    fix: [
      "Use a public https URL. To allow a private host, the operator lists it in [`platform.outboundAllow`](../../guides/webhooks.md#private-and-loopback-targets).",
    ],
  },
  EMAIL_TAKEN: {
    message: "An account with this email address exists. Sign in instead.",
    causes: ["The address has an account."],
    fix: ["Sign in, or ask for a new password."],
  },
  NAME_TAKEN: {
    message: "Another team has this name.",
    causes: ["Names are unique within an organization."],
    fix: ["Choose another name."],
  },
  ALREADY_MEMBER: {
    message: "This person is a member of the team already.",
    causes: ["The person was added before."],
    fix: ["Change their role instead."],
  },
  LAST_OWNER: {
    message: "This is the last owner of the organization. Make somebody else an owner first.",
    causes: ["An organization without an owner could be managed by nobody."],
    fix: ["Make somebody else an owner first."],
  },
  LAST_ADMIN: {
    message: "This is the last administrator. Make somebody else one first.",
    causes: ["Nobody could undo it."],
    fix: ["Make somebody else an administrator first."],
  },
  SELF: {
    message: "Nobody deletes their own account here. Ask another administrator.",
    causes: ["The operation is not offered for one's own account."],
    fix: ["Ask another administrator."],
  },
  KEY_REVOKED: {
    message: "This key was removed, which is final. Create another one.",
    causes: ["Revoking is final, so that a leaked key stays dead."],
    fix: ["Create another key."],
  },
  MODEL_EXISTS: {
    message: "A model 'fast' exists in the settings file. Choose another id.",
    causes: ["The settings file or the database has a model of this id."],
    fix: ["Choose another id, or change the model that exists."],
  },
  PROVIDER_EXISTS: {
    message: "Another provider has the slug 'acme'. Choose another one.",
    causes: ["Slugs are unique."],
    fix: ["Choose another slug."],
  },
  IN_USE: {
    message: "The provider 'acme' serves 3 models. Disable them first.",
    causes: ["Something else needs what should be removed."],
    fix: ["Remove or disable what the sentence names first."],
  },
  LIMIT_REACHED: {
    message: "The organization has 10 webhooks, which is the most it may have. Delete one first.",
    causes: ["A count or a daily sum reached its most."],
    fix: ["Remove one, or wait for the next day; the sentence says which."],
  },
  PAIRING_EXPIRED: {
    message: "Nobody confirmed the code in time.",
    causes: ["The code of `tollgate login` was not confirmed in the browser in time."],
    fix: ["Run `tollgate login` again."],
  },
  WRONG_STATE: {
    message: "The purchase has no checkout yet: send the request that made it again.",
    causes: ["The record is past, or not yet in, the state that this needs."],
    fix: ["Read the record again and decide from its state."],
  },
  NEGATIVE_BALANCE: {
    message:
      "The team is blocked because its organization's balance is below zero. It is unblocked when credit is added.",
    causes: ["Only credit ends this block."],
    fix: ["Buy credit; the teams are unblocked by that."],
  },
  IDEMPOTENCY_KEY_REUSED: {
    message: "This Idempotency-Key was used for another request body.",
    causes: ["One key was used for two different requests."],
    fix: ["Use a new key for each request: [Idempotency](../../api/idempotency.md)."],
  },
  IDEMPOTENCY_IN_PROGRESS: {
    message: "The first request with this Idempotency-Key is still running.",
    causes: ["A retry came before the first request ended."],
    fix: ["Wait for `Retry-After`, then send the same again."],
  },
  BODY_TOO_LARGE: {
    message: "The body is larger than this operation takes.",
    causes: ["The body is larger than any of this operation has to be."],
    fix: ["Send less."],
  },
  WRONG_MEDIA_TYPE: {
    message: "Send the body as application/json.",
    causes: ["`content-type` is missing or another one."],
    fix: ['Add `-H "content-type: application/json"`.'],
  },
  UNKNOWN_PATH: {
    message: "Nothing is at this path.",
    causes: ["The path is mistyped, or of another version."],
    fix: ["Compare with `/api/openapi.json`."],
  },
  UNKNOWN_OBJECT: {
    message: "There is no such key.",
    causes: ["The id is wrong, the object is gone, or it is another organization's: all look alike on purpose."],
    fix: ["Look at the id and at the organization you are active in."],
  },
  MODEL_NOT_FOUND: {
    message: "There is no such model.",
    causes: ["The model's id is mistyped, or the model was removed."],
    fix: ["`tollgate models list` shows the names."],
  },
  WRONG_METHOD: {
    message: "Use GET for this path.",
    causes: ["The path exists with other methods."],
    fix: ["Use the method of the `allow` header."],
  },
  OUT_OF_CREDIT: {
    message: "Not enough credits.",
    causes: ["The organization's credit or a budget does not cover it."],
    fix: ["Buy credit, or raise the budget: [Credit, budgets and limits](../../guides/credit.md)."],
  },
  TEAM_BLOCKED: {
    message: "The team is blocked.",
    causes: ["The balance is below zero, or an administrator blocked the team; `blockedReason` says which."],
    fix: ["Buy credit, or ask the administrator."],
  },
  UNEXPECTED: {
    message: "An internal error occurred. Quote the request id when you report it.",
    causes: ["A fault of this program."],
    fix: ["Operators find the cause in the log under `requestId`."],
  },
  UPSTREAM_FAILED: {
    message: "The payment provider refused. Nothing was charged.",
    causes: ["The model or the payment provider failed or refused."],
    fix: [sameKey],
  },
  UNAVAILABLE: {
    message: "The payment provider cannot be reached. Send the same request with the same key again.",
    causes: ["Something the platform needs is away."],
    fix: [sameKey, "Operators: `tollgate doctor`."],
  },
  UPSTREAM_TIMEOUT: {
    message: "The model did not answer in time.",
    causes: ["The model took longer than a page waits."],
    fix: ["Try again, or call the gateway itself, which waits longer."],
  },
  DB_TIMEOUT: {
    message: "The database did not answer in time. Try again.",
    causes: ["The database is away or slow, or the question spans too much."],
    fix: ["Try again; narrow the range of dates of reports."],
  },
};
