import { setTimeout as pause } from "node:timers/promises";
import type { ServedModel } from "@tollgate/db/catalog/served-models.ts";
import type { Notice } from "@tollgate/db/change-notifications.ts";
import type { TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { DeploymentSettings } from "@tollgate/runtime/settings/settings.ts";
import { toStoredDeployment } from "./stored-deployment.ts";

interface StoredModelsParts {
  readonly read: () => Promise<readonly ServedModel[]>;
  readonly serve: (deployments: readonly DeploymentSettings[]) => Promise<void>;
  /** Null if no secret key is configured. Models with an encrypted credential are then not served. */
  readonly secrets: SecretBox | null;
  readonly targetRule: () => TargetRule;
  readonly logger: Logger;
}

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

/** Keeps a gateway's models in sync with the database. Every change notification triggers a read. */
export class StoredModels {
  readonly #parts: StoredModelsParts;
  readonly #closing = new AbortController();
  #isWanted = false;
  #reading: Promise<void> | null = null;

  constructor(parts: StoredModelsParts) {
    this.#parts = parts;
  }

  notify(notice: Notice): void {
    if (notice.kind === "catalog" || notice.kind === "everything") void this.refresh();
  }

  /**
   * Resolves when the gateway serves the models that were stored at the time of the call. If the database is
   * unavailable, the gateway keeps its current models.
   */
  refresh(): Promise<void> {
    this.#isWanted = true;
    this.#reading ??= this.#readWhileWanted().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
  }

  async #readWhileWanted(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (this.#isWanted && !this.#closing.signal.aborted) {
      // A notification during this read triggers another read.
      this.#isWanted = false;
      try {
        await this.#parts.serve(this.#toDeployments(await this.#parts.read()));
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#parts.logger.warn("could not read models from the database; keeping the previous models", { error });
        this.#isWanted = true;
        await pause(retryMs, undefined, { signal: this.#closing.signal }).catch(() => {});
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  #toDeployments(models: readonly ServedModel[]): readonly DeploymentSettings[] {
    const { secrets, targetRule, logger } = this.#parts;
    return models.flatMap((model) => {
      try {
        return [toStoredDeployment(model, secrets, targetRule())];
      } catch (error) {
        logger.error(`cannot serve model '${model.id}' from the database`, { error: error as Error });
        return [];
      }
    });
  }
}
