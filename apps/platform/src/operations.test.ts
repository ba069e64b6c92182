import { expect, test } from "vitest";
import { managementOperations } from "./operations.ts";

const VERBS: Readonly<Record<string, readonly string[]>> = {
  GET: ["get", "list"],
  POST: ["create", "update"],
  PUT: ["update"],
  PATCH: ["update"],
  DELETE: ["delete"],
};

// Operations that the payment provider calls.
const CALLED_BY_OTHERS = new Set(["receiveStripeWebhook"]);

test("an operation ID starts with the verb for its method or with the verb in its path", () => {
  const misnamed = managementOperations()
    .filter(({ id }) => !CALLED_BY_OTHERS.has(id))
    .filter(({ id, method, path }) => {
      const [first = ""] = id.split(/(?=[A-Z])/);
      const ownVerb = path.split("/").at(-1)?.split("-")[0];
      // Relayed operations take the verb from their path instead of the method.
      const isUnderVerb = path.startsWith(`/api/gw/${first}/`);
      return !VERBS[method]?.includes(first) && first !== ownVerb && !isUnderVerb;
    })
    .map(({ id, method, path }) => `${id}: ${method} ${path}`);
  expect(misnamed).toEqual([]);
});
