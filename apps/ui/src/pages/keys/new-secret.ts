import type { QueryClient } from "@tanstack/react-query";
import type { Operations } from "@tollgate/sdk/platform";
import type { ApiKey } from "./api-key.ts";

/** A secret that was just created. Stored only in memory, until the dialog that shows it closes. */
export interface NewSecret {
  readonly key: ApiKey;
  readonly secret: string;
  readonly isRotated: boolean;
}

/** Removes the secret from the response, so that only the dialog has it. */
export function takeSecret(apiKey: ApiKey, isRotated: boolean): NewSecret {
  const secret = apiKey.token ?? "";
  const hint = `${secret.slice(0, 8)}…${secret.slice(-4)}`;
  return { key: { ...apiKey, token: hint }, secret, isRotated };
}

type KeyList = Operations["listApiKeys"]["answer"];

/** Inserts a new key at the top of the cached lists, before they are refetched. */
export function insertKey(queries: QueryClient, key: ApiKey): void {
  queries.setQueriesData<KeyList>({ queryKey: ["listApiKeys"] }, (list) =>
    list === undefined || list.data.some(({ id }) => id === key.id)
      ? list
      : { ...list, data: [key, ...list.data], meta: { ...list.meta, total: list.meta.total + 1 } },
  );
}
