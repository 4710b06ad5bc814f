// Doubles of Grafana Pyroscope and Parca: the protocols are spoken by connect-node
// (Connect, gRPC-web), the rules are those that the servers publish (RULES). They
// store nothing. Not tested against the servers themselves.
//
//   node stores.mjs PACKAGES    prints {"port": N}, then a line of JSON for each call: what it was,
//                               and the rule that it broke, if one, or what is misread of it
//
// Calibrated by hand: what Pyroscope's own client for Python (pyroscope-io 1.4.0) sends breaks no
// rule; without __delta__, as it has no sums.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const load = name => import(pathToFileURL(require.resolve(name)));
const { create, createFileRegistry, fromBinary } = await load("@bufbuild/protobuf");
const { FieldDescriptorProto_Label: Label, FieldDescriptorProto_Type: Type, FileDescriptorSetSchema } =
  await load("@bufbuild/protobuf/wkt");
const { Code, ConnectError } = await load("@connectrpc/connect");
const { connectNodeAdapter } = await load("@connectrpc/connect-node");

// A .proto file as messages {name: {field: [number, type, repeated]}} and a unary method.
function file(name, messages, service) {
  const field = ([name, [number, type, repeated]]) => ({
    name, number, jsonName: name.replace(/_(.)/g, (_, char) => char.toUpperCase()), label: repeated ? Label.REPEATED : Label.OPTIONAL,
    ...(type in Type ? { type: Type[type] } : { type: Type.MESSAGE, typeName: `.${name_of(type)}` })
  });
  const name_of = type => `${name}.${type}`;
  const messageType = Object.entries(messages).map(([message, fields]) =>
    ({ name: message, field: Object.entries(fields).map(field) }));
  const services = Object.entries(service ?? {}).map(([service, [method, input, output]]) =>
    ({ name: service, method: [{ name: method, inputType: `.${name_of(input)}`, outputType: `.${name_of(output)}` }] }));
  return { name: `${name}.proto`, package: name, syntax: "proto3", messageType, service: services };
}

const pair = { name: [1, "STRING"], value: [2, "STRING"] };
const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [
  // https://github.com/google/pprof/blob/main/proto/profile.proto, without mappings.
  file("perftools.profiles", {
    Profile: { sample_type: [1, "ValueType", true], sample: [2, "Sample", true], location: [4, "Location", true],
      function: [5, "Function", true], string_table: [6, "STRING", true], time_nanos: [9, "INT64"], duration_nanos: [10, "INT64"],
      period_type: [11, "ValueType"], period: [12, "INT64"] },
    ValueType: { type: [1, "INT64"], unit: [2, "INT64"] },
    Sample: { location_id: [1, "UINT64", true], value: [2, "INT64", true], label: [3, "Label", true] },
    Label: { key: [1, "INT64"], str: [2, "INT64"], num: [3, "INT64"] },
    Location: { id: [1, "UINT64"] },
    Function: { id: [1, "UINT64"] }
  }),
  // Pyroscope's api/push/v1/push.proto.
  file("push.v1", {
    PushRequest: { series: [1, "RawProfileSeries", true] },
    RawProfileSeries: { labels: [1, "LabelPair", true], samples: [2, "RawSample", true] },
    LabelPair: pair, RawSample: { raw_profile: [1, "BYTES"], ID: [2, "STRING"] }, PushResponse: {}
  }, { PusherService: ["Push", "PushRequest", "PushResponse"] }),
  // Pyroscope's api/querier/v1/querier.proto, and what it needs of others.
  file("querier.v1", {
    SelectMergeStacktracesRequest: { profile_typeID: [1, "STRING"], label_selector: [2, "STRING"], start: [3, "INT64"], end: [4, "INT64"], max_nodes: [5, "INT64"] },
    SelectMergeStacktracesResponse: { flamegraph: [1, "FlameGraph"] },
    FlameGraph: { names: [1, "STRING", true], total: [3, "INT64"], max_self: [4, "INT64"] }
  }, { QuerierService: ["SelectMergeStacktraces", "SelectMergeStacktracesRequest", "SelectMergeStacktracesResponse"] }),
  // Parca's proto/parca/profilestore/v1alpha1/profilestore.proto.
  file("parca.profilestore.v1alpha1", {
    WriteRawRequest: { tenant: [1, "STRING"], series: [2, "RawProfileSeries", true], normalized: [3, "BOOL"] },
    RawProfileSeries: { labels: [1, "LabelSet"], samples: [2, "RawSample", true] },
    LabelSet: { labels: [1, "Label", true] }, Label: pair, RawSample: { raw_profile: [1, "BYTES"] }, WriteRawResponse: {}
  }, { ProfileStoreService: ["WriteRaw", "WriteRawRequest", "WriteRawResponse"] })
] }));

// Plain objects of a request's series: labels (pairs), profile, id, bytes before compression.
function series_of(request) {
  return request.series.flatMap(series => series.samples.map(sample => {
    const raw = Buffer.from(sample.rawProfile);
    const bytes = raw[0] === 0x1f && raw[1] === 0x8b ? gunzipSync(raw) : raw;
    const profile = fromBinary(registry.getMessage("perftools.profiles.Profile"), bytes);
    return { labels: (series.labels.labels ?? series.labels).map(({ name, value }) => [name, value]), id: sample.ID, bytes: bytes.length, profile };
  }));
}

const text = ({ profile }, index) => profile.stringTable[Number(index)];
const label = ({ labels }, name) => labels.find(([known]) => known === name)?.[1];
const keys = (series, sample) => sample.label.map(({ key }) => text(series, key));
const strings = (series, key) => series.profile.sample.flatMap(sample => sample.label)
  .filter(one => text(series, one.key) === key).map(one => text(series, one.str));
const types = series => series.profile.sampleType.map(({ type, unit }) => [text(series, type), text(series, unit)]);
const ordered = list => list.every(({ id }, index) => Number(id) === index + 1);
const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const DOTTED_NAME = /^[a-zA-Z_][a-zA-Z0-9_.]*$/;
const hours = ({ profile }) => (Date.now() * 1e6 - Number(profile.timeNanos)) / 3.6e12;

// [what it is called, whether a series keeps it], as of August 2026. Pyroscope's are in
// pkg/validation/{validate,limits}.go and pkg/pprof/pprof.go.
const RULES = {
  pyroscope: [
    ["a name", series => NAME.test(label(series, "__name__") ?? "")],
    ["a service_name", series => Boolean(label(series, "service_name"))],
    ["names of labels", ({ labels }) => labels.every(([name]) => DOTTED_NAME.test(name))],
    ["at most 30 labels of a series", ({ labels }) => labels.length <= 30],
    ["label values up to 2,048 bytes", ({ labels }) => labels.every(([, value]) => Buffer.byteLength(value) <= 2048)],
    ["a period type", series => Boolean(series.profile.periodType) && series.profile.period > 0n],
    ["no - in a sample type", series => types(series).every(([type]) => !type.includes("-"))],
    ["at most 4 MiB", ({ bytes }) => bytes <= 4 << 20],
    ["at most 16,000 samples", ({ profile }) => profile.sample.length <= 16000],
    ["at most 100 labels of a sample", series => series.profile.sample.every(sample => sample.label.length <= 100)],
    ["at most 1,000 frames", ({ profile }) => profile.sample.every(sample => sample.locationId.length <= 1000)],
    ["an age of less than an hour", series => hours(series) < 1],
    ["no time to come", series => hours(series) > -1 / 6],
    ["trace_id of 32 digits", series => strings(series, "trace_id").every(id => /^[0-9a-f]{32}$/.test(id))],
    ["span_id of 16 digits", series => strings(series, "span_id").every(id => /^[0-9a-f]{16}$/.test(id))],
    ["a UUID", ({ id }) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id)]
  ],
  // pkg/profilestore and pkg/normalizer of Parca; metric names as of Prometheus' common/model.
  parca: [
    ["a name", series => NAME.test(label(series, "__name__") ?? "")],
    ["names of labels", ({ labels }) => labels.every(([name]) => NAME.test(name))],
    ["no label twice", ({ labels }) => new Set(labels.map(([name]) => name)).size === labels.length],
    ["an empty string first", ({ profile }) => profile.stringTable[0] === ""],
    ["locations in order", ({ profile }) => ordered(profile.location)],
    ["functions in order", ({ profile }) => ordered(profile.function)],
    ["sample types that are names", series => types(series).flat().every(name => NAME.test(name))],
    ["a period type", series => Boolean(series.profile.periodType) && series.profile.periodType.type > 0n],
    // Labels of samples become columns.
    ["no ids of traces", series => series.profile.sample.every(sample => !keys(series, sample).includes("trace_id"))]
  ]
};

// What Pyroscope takes and means otherwise: allocations that it takes for sums since the start, and
// subtracts from each other; types that are stored twice; labels that are dropped.
const MISREAD = [
  ["sums", series => label(series, "__delta__") === "false"],
  ["a second sample type", series => types(series).length === 1 || types(series).every(([type]) => /^(alloc|inuse)_/.test(type))],
  ["labels of numbers", series => series.profile.sample.every(sample => sample.label.every(({ str }) => str > 0n))]
];

// Series that were taken, with the types by which they are found.
const kept = [];

// What Pyroscope answers to a question for the sum of some series.
function select({ profileTypeID, labelSelector, start, end }) {
  const wanted = [...labelSelector.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, JSON.parse(`"${value}"`)]);
  const found = kept.filter(({ type, labels, at }) => type === profileTypeID && at >= start && at <= end && wanted.every(([name, value]) => labels[name] === value));
  return found.length ? { flamegraph: { names: ["total"], total: BigInt(found.reduce((sum, { total }) => sum + total, 0)) } } : {};
}

function call(store, request, context) {
  const all = series_of(request);
  const broken = all.length === 0 ? "a profile" : RULES[store].find(([, keeps]) => !all.every(keeps))?.[0];
  const misread = store === "parca" ? [] : MISREAD.filter(([, keeps]) => !all.every(keeps)).map(([what]) => what);
  const shown = all.map(series => ({
    labels: Object.fromEntries(series.labels), id: series.id, bytes: series.bytes, types: types(series), samples: series.profile.sample.length,
    total: series.profile.sample.reduce((sum, sample) => sum + Number(sample.value[0]), 0),
    keys: [...new Set(series.profile.sample.flatMap(sample => keys(series, sample)))]
  }));
  console.log(JSON.stringify({ store, broken: broken ?? null, misread, protocol: context.protocolName, tenant: context.requestHeader.get("x-scope-orgid"), series: shown }));
  const refused = label(all[0] ?? { labels: [] }, "refuse_with");
  if (refused) throw new ConnectError(`the double refuses: ${refused}`, Code[refused]);
  if (broken) throw new ConnectError(`the rule is broken: ${broken}`, Code.InvalidArgument);
  all.forEach((series, index) => {
    const of = ({ type, unit }) => [text(series, type), text(series, unit)];
    const type = [label(series, "__name__"), ...of(series.profile.sampleType[0]), ...of(series.profile.periodType)].join(":");
    kept.push({ type, labels: shown[index].labels, total: shown[index].total, at: series.profile.timeNanos / 1000000n });
  });
  return {};
}

const routes = router => router
  .service(registry.getService("push.v1.PusherService"), { push: (request, context) => call("pyroscope", request, context) })
  .service(registry.getService("querier.v1.QuerierService"), { selectMergeStacktraces: select })
  .service(registry.getService("parca.profilestore.v1alpha1.ProfileStoreService"), { writeRaw: (request, context) => call("parca", request, context) });

const server = createServer(connectNodeAdapter({ routes, readMaxBytes: 32 << 20 }));
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
process.stdin.on("end", () => process.exit(0)).resume();
