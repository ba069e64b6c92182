import type { IncomingMessage, ServerResponse } from "node:http";
import type { AggregateFn, EvaluateFn, Operation, Row, TrainFn } from "../handlers.ts";
import { OPERATIONS } from "../handlers.ts";
import { WorkerFunctionHost } from "../jobs/worker-function-host.ts";
import { type FunctionHost, LocalFunctionHost, type ParticipantFunctions } from "./function-host.ts";
import { ParticipantApi } from "./participant-api.ts";
import type { ParticipantOptions } from "./participant-options.ts";
import { checkExposure, type ParticipantSettings, readSettings } from "./participant-settings.ts";
import { listen, type RunningParticipant } from "./running-participant.ts";
import { formatStartBlock } from "./start-block.ts";

export interface RunOptions {
  /** Functions that must be registered. Default: all three. */
  readonly require?: readonly Operation[];
  /** Drains the participant and exits the process on SIGTERM and SIGINT. Default: true. */
  readonly signals?: boolean;
}

/** Serves your three functions over HTTP: register them, then run. */
export class Participant {
  readonly #settings: ParticipantSettings;
  readonly #functions: ParticipantFunctions = {};
  #isServing = false;

  /** Throws if an option or environment variable is invalid. */
  constructor(options: ParticipantOptions = {}) {
    this.#settings = readSettings(options, process.env);
  }

  /** Registered functions. */
  get functions(): Readonly<ParticipantFunctions> {
    return this.#functions;
  }

  /** Returns the function, so that it can still be called by its name. */
  registerTrain(train: TrainFn): TrainFn {
    this.#register("train", train);
    return train;
  }

  registerEvaluate(evaluate: EvaluateFn): EvaluateFn {
    this.#register("evaluate", evaluate);
    return evaluate;
  }

  registerAggregate(aggregate: AggregateFn): AggregateFn {
    this.#register("aggregate", aggregate);
    return aggregate;
  }

  /** Returns the rows used for requests without a dataset. */
  localRows(): Promise<Row[]> {
    return this.#settings.datasets.open(null).collect();
  }

  /** Starts listening. Throws if a function is missing or the participant would be open to the network. */
  async run({ require = OPERATIONS, signals = true }: RunOptions = {}): Promise<RunningParticipant> {
    const settings = this.#settings;
    checkExposure(settings);
    const host = await this.#openHost();
    const missing = require.filter((operation) => !host.has(operation));
    if (missing.length > 0) {
      await host.close();
      throw new Error(`no ${missing.join(", no ")} function is registered; run({ require }) lists the required ones`);
    }
    const api = await ParticipantApi.start(settings, host).catch(async (error: unknown) => {
      await host.close();
      throw error;
    });
    const running = await listen(settings, api, signals);
    settings.logger.info(formatStartBlock(running.url, (operation) => host.has(operation)));
    return running;
  }

  /** Returns a handler to mount in an existing server. After this call, functions can no longer be registered. */
  handler(): (request: IncomingMessage, response: ServerResponse) => void {
    const starting = this.#openHost().then((host) => ParticipantApi.start(this.#settings, host));
    // Avoid an unhandled rejection, because the first request reports the error.
    starting.catch(() => {});
    return (request, response) => {
      starting.then(
        (api) => api.handle(request, response),
        (error: unknown) => response.destroy(error as Error),
      );
    };
  }

  async #openHost(): Promise<FunctionHost> {
    this.#isServing = true;
    const { workerModule, graceSeconds, logger } = this.#settings;
    if (workerModule === undefined) return new LocalFunctionHost(this.#functions, logger);
    return WorkerFunctionHost.open(workerModule, graceSeconds * 1000, logger);
  }

  #register<Name extends Operation>(operation: Name, fn: ParticipantFunctions[Name]): void {
    if (typeof fn !== "function") throw new TypeError(`${operation} must be a function`);
    if (this.#isServing) throw new Error(`${operation} was registered after run(); register it first`);
    if (this.#settings.workerModule !== undefined) throw new Error("with workers: true the functions come from module");
    if (this.#functions[operation] !== undefined) {
      this.#settings.logger.warn(`${operation} was registered twice; using the last one`);
    }
    this.#functions[operation] = fn;
  }
}
