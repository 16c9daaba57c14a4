// A runtime for tests of host nodes.
//
// Graphs, their clones and what is instantiated of them hold user objects together, as the vendors' do: the
// last to go ends an object, on a thread of its own. launch() runs what a graph holds on another thread.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

using Function = void (*)(void *);
struct HostParams {
    Function fn;
    void *data;
};
struct Object {
    void *data;
    Function destroy;
    ~Object() {
        std::thread([this] { destroy(data); }).join();
    }
};
struct Graph;
struct Node {
    HostParams params;
    Graph *graph;
};
struct Graph {
    std::vector<std::shared_ptr<Node>> nodes;
    std::vector<std::shared_ptr<Object>> objects;
};
struct NodeParams { // cudaGraphNodeParams
    int type, reserved[3];
    HostParams host;
};
constexpr int host_type = 3;

static int refusal = 0, retain_refusal = 0, knows_graph = 1;

static Graph *copy(const Graph &graph) {
    auto *made = new Graph{{}, graph.objects};
    for (const auto &node : graph.nodes)
        made->nodes.push_back(std::make_shared<Node>(Node{node->params, made}));
    return made;
}
static int add(void **node, Graph *graph, const HostParams &params) {
    if (refusal) return refusal;
    graph->nodes.push_back(std::make_shared<Node>(Node{params, graph}));
    *node = graph->nodes.back().get();
    return 0;
}
static void run(const Graph &graph) {
    for (const auto &node : graph.nodes) node->params.fn(node->params.data);
}

extern "C" {
void refuse(int with) { refusal = with; }
void refuse_to_retain(int with) { retain_refusal = with; }
void know_graph(int yes) { knows_graph = yes; }
void launch(Graph *graph) { std::thread(run, std::cref(*graph)).join(); }
static Graph *last;
void launch_at_exit(Graph *graph) {
    last = graph;
    std::atexit([] { launch(last); });
}
void launch_when_told(Graph *graph, int told, int done) {
    std::thread([=] {
        char byte;
        if (read(told, &byte, 1) != 1) return;
        run(*graph);
        if (write(done, &byte, 1) != 1) return;
    }).detach();
}

int cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cudaGetLastError() { return 0; }
int cudaStreamQuery(void *) { return 0; }
int cudaGraphCreate(Graph **graph, unsigned) {
    *graph = new Graph;
    return 0;
}
int cudaGraphClone(Graph **clone, Graph *graph) {
    *clone = copy(*graph);
    return 0;
}
int cudaGraphInstantiate(Graph **ready, Graph *graph, unsigned long long) {
    *ready = copy(*graph);
    return 0;
}
int cudaGraphDestroy(Graph *graph) {
    delete graph;
    return 0;
}
int cudaGraphExecDestroy(Graph *ready) {
    delete ready;
    return 0;
}
int cudaGraphLaunch(Graph *ready, void *) {
    launch(ready);
    return 0;
}
int cudaGraphAddHostNode(void **node, Graph *graph, void **, std::size_t, const HostParams *params) {
    return add(node, graph, *params);
}
int cudaGraphAddNode(void **node, Graph *graph, void **, void *, std::size_t, NodeParams *params) {
    return params->type == host_type ? add(node, graph, params->host) : 1;
}
int cudaGraphHostNodeGetParams(Node *node, HostParams *params) {
    *params = node->params;
    return 0;
}
int cudaGraphHostNodeSetParams(Node *node, const HostParams *params) {
    if (!refusal) node->params = *params;
    return refusal;
}
int cudaGraphNodeSetParams(Node *node, NodeParams *params) {
    return cudaGraphHostNodeSetParams(node, &params->host);
}
int cudaGraphExecHostNodeSetParams(Graph *ready, Node *, const HostParams *params) {
    if (!refusal) ready->nodes.front()->params = *params;
    return refusal;
}
int cudaGraphNodeGetContainingGraph(Node *node, Graph **graph) {
    *graph = node->graph;
    return knows_graph ? 0 : 1;
}
int cudaUserObjectCreate(void **object, void *data, Function destroy, unsigned, unsigned) {
    *object = new std::shared_ptr<Object>(new Object{data, destroy});
    return 0;
}
int cudaGraphRetainUserObject(Graph *graph, void *object, unsigned, unsigned) {
    if (retain_refusal) return retain_refusal;
    auto *held = static_cast<std::shared_ptr<Object> *>(object);
    graph->objects.push_back(*held);
    delete held;
    return 0;
}

int hipRuntimeGetVersion(int *version) {
    *version = 60240000;
    return 0;
}
int hipGetLastError() { return 0; }
int hipGraphCreate(Graph **graph, unsigned flags) { return cudaGraphCreate(graph, flags); }
int hipGraphDestroy(Graph *graph) { return cudaGraphDestroy(graph); }
int hipGraphAddHostNode(void **node, Graph *graph, void **, std::size_t, const HostParams *params) {
    return add(node, graph, *params);
}
int hipGraphAddNode(void **node, Graph *graph, void **, std::size_t, NodeParams *params) {
    return params->type == host_type ? add(node, graph, params->host) : 1;
}
int hipGraphHostNodeGetParams(Node *node, HostParams *params) {
    return cudaGraphHostNodeGetParams(node, params);
}
int hipGraphHostNodeSetParams(Node *node, const HostParams *params) {
    return cudaGraphHostNodeSetParams(node, params);
}
int hipUserObjectCreate(void **object, void *data, Function destroy, unsigned count, unsigned flags) {
    return cudaUserObjectCreate(object, data, destroy, count, flags);
}
int hipGraphRetainUserObject(Graph *graph, void *object, unsigned count, unsigned flags) {
    return cudaGraphRetainUserObject(graph, object, count, flags);
}
}
