import { wires } from "@tollgate/testkit/hostile/wires.ts";
import { describe } from "vitest";
import { testHostileUpstreams } from "./hostile-corpus.fixture.ts";

describe.for(wires)("with the library's client, $name", ({ name }) => testHostileUpstreams(name, "undici"));
