import type { DatasetRegistry } from "../datasets/dataset-registry.ts";
import type { DatasetView } from "../datasets/dataset-source.ts";
import type { JsonObject, JsonValue, Operation } from "../handlers.ts";
import { BadRequest } from "../participant-failure.ts";
import type { StoredBytes } from "../wire/stored-bytes.ts";
import type { Blobs, DecodedBody } from "../wire/wire-body.ts";

/** Validated input for a function. */
export interface FunctionInput {
  readonly operation: Operation;
  readonly round?: number;
  readonly config: JsonObject;
  readonly dataset: DatasetView;
  readonly weights?: number[];
  readonly blobs: HeldBlobs;
}

/** Holds the parameters of a request until the function takes them, then drops its reference to free the memory. */
export class HeldBlobs {
  readonly byteLength: number;
  #blobs: Blobs;

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
    this.byteLength = allBlobs(blobs).reduce((sum, blob) => sum + blob.byteLength, 0);
  }

  async takeParameters(): Promise<Uint8Array | null> {
    const { parameters } = this.#takeAll();
    return parameters === undefined || parameters === null ? null : await takeBytes(parameters);
  }

  async takeList(): Promise<Uint8Array[]> {
    const list: Uint8Array[] = [];
    for (const stored of this.#blobs.parametersList ?? []) list.push(await takeBytes(stored));
    this.#takeAll();
    return list;
  }

  async dispose(): Promise<void> {
    await Promise.all(allBlobs(this.#takeAll()).map((blob) => blob.dispose()));
  }

  #takeAll(): Blobs {
    const blobs = this.#blobs;
    this.#blobs = {};
    return blobs;
  }
}

/** Reads the fields of a decoded body. Throws an error that names the invalid field. */
export function readFunctionInput(operation: Operation, body: DecodedBody, datasets: DatasetRegistry): FunctionInput {
  const { fields, blobs } = body;
  const common = { operation, round: readRound(fields.round), config: readConfig(fields.config) };
  if (operation !== "aggregate") {
    return {
      ...common,
      dataset: datasets.open(fields.dataset),
      blobs: new HeldBlobs({ parameters: blobs.parameters }),
    };
  }
  const entries = blobs.parametersList;
  if (entries === undefined) throw new BadRequest("parameters_list must be an array of base64 strings");
  if (entries.length === 0) throw new BadRequest("parameters_list must have 1 to 1000 entries");
  return {
    ...common,
    dataset: datasets.open([]),
    weights: readWeights(fields.weights, entries.length),
    blobs: new HeldBlobs({ parametersList: entries }),
  };
}

function readRound(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new BadRequest("round must be a non-negative integer");
}

function readConfig(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value;
  throw new BadRequest("config must be an object");
}

function readWeights(value: JsonValue | undefined, count: number): number[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw new BadRequest("weights must be an array of numbers");
  if (value.length !== count) throw new BadRequest("weights must have as many entries as parameters_list");
  let sum = 0;
  for (const [index, weight] of value.entries()) {
    if (typeof weight !== "number" || !(weight >= 0)) {
      throw new BadRequest(`weights[${index}] must be a number of at least 0`);
    }
    sum += weight;
  }
  if (!(sum > 0 && Number.isFinite(sum))) throw new BadRequest("weights must have a finite sum above 0");
  return value as number[];
}

async function takeBytes(stored: StoredBytes): Promise<Uint8Array> {
  try {
    return await stored.bytes();
  } finally {
    await stored.dispose();
  }
}

function allBlobs({ parameters, parametersList = [] }: Blobs): StoredBytes[] {
  return parameters === undefined || parameters === null ? [...parametersList] : [parameters, ...parametersList];
}
