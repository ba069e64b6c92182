import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import type { Operations } from "@tollgate/sdk/platform/operations.generated.ts";
import type { PlatformClient } from "@tollgate/sdk/platform/platform-client.ts";
import { CliError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { EXIT } from "../../../exit-codes.ts";
import { currentToken } from "../../../settings/current-token.ts";

export type HubModel = Operations["listHubModels"]["answer"]["models"][number];

/** Returns a platform client, with credentials if the user is signed in. The catalog is public. */
export async function openPlatform(context: CommandContext): Promise<PlatformClient> {
  try {
    await currentToken(context);
    return context.platform;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.notPermitted) return context.platformAs(null);
    throw error;
  }
}

/** Returns the hub's data by model ID. The map is empty if the caller has no access. */
export async function readHub(platform: PlatformClient): Promise<ReadonlyMap<string, HubModel>> {
  try {
    const { models } = await platform.call("listHubModels");
    return new Map(models.map((model) => [model.id, model]));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return new Map();
    throw error;
  }
}
