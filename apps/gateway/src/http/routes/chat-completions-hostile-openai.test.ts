import { testHostileUpstreams } from "./hostile-corpus.fixture.ts";

testHostileUpstreams("openai");
