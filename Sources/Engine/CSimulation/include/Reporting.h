// What reports are made of: places in code, and how runs end that end their process.
#pragma once

#include "CSimulation.h"

#pragma clang assume_nonnull begin

// MARK: Code

/// A loaded program or library, and how far its addresses are from those in its file. The path lives as long as it is loaded.
typedef struct { uintptr_t bias; const char *_Nullable path; } csim_image;
/// Where an address of code was loaded from; false when it is not of code.
bool csim_find_image(uintptr_t address, csim_image *_Nullable image);
bool csim_is_code(const void *_Nullable address);
/// An address in the Swift runtime.
uintptr_t csim_runtime_function(void);
/// One in the file that the engine was linked into.
uintptr_t csim_own_function(void);

/// Whether a return address is of the program, or of the file that the engine was linked into.
bool csim_is_own_code(const void *address);

/// Stores the return addresses of the callers, innermost first: those in the engine's own file, and of each row of callers in
/// libraries the outermost. Slower than a walk along frame pointers, and complete.
void csim_walk_callers(void *_Nullable *_Nonnull frames, uint32_t capacity);
/// The asynchronous call stack of a task that is suspended, innermost first, in the form of return addresses; how many.
uint32_t csim_waiting_frames(const csim_task *task, void *_Nullable *_Nonnull frames, uint32_t capacity);
/// Adds to `count` frames those of an async context and of its callers; how many there are then.
uint32_t csim_async_callers(
    const void *_Nullable context, void *_Nullable *_Nonnull frames, uint32_t count, uint32_t capacity
);

/// A process that is asked for symbols, and ends when the last copy of `channel` is closed.
typedef struct { int process, channel; } csim_symbolizer;
/// Starts llvm-symbolizer at a path; `process` is -1, and errno set, where that fails.
csim_symbolizer csim_start_symbolizer(const char *path);
/// Sends a line and receives what the process says up to an empty line: the number of bytes, or -1 when it does not say it
/// within the time or within the space.
int64_t csim_ask_symbolizer(
    csim_symbolizer symbolizer, const char *question, char *answer, size_t capacity, int timeout_ms
);
/// Whether the process was started by this one and has not been ended.
bool csim_runs_symbolizer(csim_symbolizer symbolizer);
/// Ends the process, if this one has started it, and frees the channel.
void csim_end_symbolizer(csim_symbolizer symbolizer, bool started_here);
/// The name as the runtime's own crash reports show it, to be freed; NULL when it has none.
char *_Nullable csim_demangle(const char *name);

/// What is wrong with the layout of a task that has not begun; NULL when it is as runtime_layout.h says.
const char *_Nullable csim_layout_problem(const void *job);
/// What is wrong with the layout of a job of any other kind: the one that `current` makes when it yields, or that `actor` makes
/// to work off its queue, 0 where that is not known.
const char *_Nullable csim_job_problem(const void *job, const void *_Nullable current, uintptr_t actor);
/// Lets a world check each layout that its run meets; ends the process with a sentence where one is otherwise than is known.
void csim_begin_probe(csim_world *world);
/// Looks at what is suspended in it.
void csim_probe_tasks(csim_world *world);
/// Ends the process with a sentence where its run has not met all layouts, or where its program has not run as it does outside.
void csim_end_probe(csim_world *world, bool went_well);

// MARK: Runs that end the process

/// What is printed of a run that ends the process, by a crash, an exit or a hang. The texts are kept by the caller.
typedef struct {
    const char *_Nullable run;           // what it is a run of, such as `the test Suite/name`
    const char *_Nullable reproduction;  // the line that reproduces it
    uint64_t seed;
} csim_run_name;
/// Names the run of this thread, whose `run` is NULL where there is none; gives the name that it had.
csim_run_name csim_name_run(csim_run_name name);
/// The name of the run of this thread.
const csim_run_name *csim_named_run(void);
/// Whether the parent of this process says how it ends.
bool csim_is_silent(void);
/// From now on a crash of a thread that runs a simulation says which it is, on standard error, before other handlers do.
void csim_tell_crashes(void);

/// Writes the places in the source of return addresses to standard error, a line for each. False when it knows none.
typedef bool (*csim_place_writer)(void *_Nullable const *_Nonnull frames, size_t count);
/// Ends the process when one step takes longer in real time; 0 for never. LENSSIM_STEP_TIMEOUT, in seconds, comes first.
void csim_limit_steps(csim_world *world, int64_t timeout_ns);
/// How places are written from now on.
void csim_write_places_by(csim_place_writer writer);
/// The calling thread waits on purpose, within a step.
void csim_pause_watch(bool paused);

/// A step that does not end.
typedef struct {
    const csim_run_name *name;
    uint64_t seed, steps;
    int64_t time_ns, waited_ns;
    void *_Nullable const *_Nonnull frames;  // return addresses of the running code, innermost first
    size_t frame_count;
    const csim_escape *_Nullable first_escape;  // what the run called before that no simulation can hold
    uint32_t task;                           // whose step it is; 0 for none
    const char *_Nullable task_name, *_Nullable node;
} csim_hang;
/// Called on a thread of its own while the other hangs; should end the process.
typedef void (*csim_hang_handler)(const csim_hang *hang, void *_Nullable context);
/// Lets a function deal with hangs instead of the message and the end of the process.
void csim_on_hang(csim_hang_handler handler, void *_Nullable context);

/// Called on the thread that crashes, or that calls a function which ends the process, in the middle of its run; `signal` is 0
/// for the latter, which has a `code`. Should end the process.
typedef void (*csim_end_handler)(int signal, int code, const csim_hang *where, void *_Nullable context);
/// In a forked process of one thread: lets a function report crashes and exits of this thread and of processes forked from it.
/// If it crashes too, or does not come back for twenty seconds, the process ends by the signal.
void csim_on_end(csim_end_handler handler, void *_Nullable context);

/// From now on this process gets no more memory, beside what it has, than half the machine's, divided among the cores, or a
/// gigabyte; or than the environment's LENSSIM_MEMORY has, in MiB. Not under sanitizers.
void csim_limit_memory(void);
/// That limit in bytes; 0 where there is none.
int64_t csim_memory_limit(void);
/// Bytes that it had when the limit was set.
int64_t csim_first_memory(void);
/// Bytes that it counts.
int64_t csim_private_bytes(void);

/// Starts a program whose descriptors from 0 on are the given ones, -1 for none, and no others; 0, or an error number.
int csim_spawn(
    int *process, const char *path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull variables, const int *files, int count
);
/// Makes a pipe, whose two descriptors no other program that this process starts has, at any moment; 0, or -1 with errno set.
int csim_pipe(int *ends);
/// Ends this process when the thread ends that has started it, or at once where the process `parent` has ended.
void csim_end_with_parent(int parent);
/// Lets each line that the program prints leave the process at once.
void csim_print_lines(void);

/// Whether everything asynchronous of this process runs on its main thread, so that it can be forked: where the environment
/// has LENSSIM_ONE_THREAD.
bool csim_has_one_thread(void);
/// From now on this process has threads as usual; for one that was forked and is not to be forked again.
void csim_have_threads(void);
/// Calls a function in place of the end of this process by `exit`, once.
void csim_instead_of_exit(void (*function)(void));

/// Sends a message with two descriptors over a socket of messages; 0, or an error number.
int csim_send_with_files(int socket, const void *bytes, size_t count, int first, int second);
/// Receives one of these; the number of bytes, 0 at the end, or a negative error number.
int64_t csim_receive_with_files(int socket, void *bytes, size_t capacity, int *first, int *second);

/// A static variable that a run has initialised: the function that did, and the run's seed.
typedef struct { const void *function; uint64_t seed; } csim_static;
/// Those of this process, in their order.
uint32_t csim_static_count(void);
csim_static csim_static_at(uint32_t index);

/// Writes what was measured of the coverage of this process, which its end would not; nothing where none is measured.
void csim_write_coverage(void);
/// Bytes of this process that are in memory; 0 where the system does not tell.
int64_t csim_resident_bytes(void);

/// A file in memory, of no name, to which each write appends; forked processes share it. -1 and errno when there is none.
int csim_shared_file(void);

/// Leaves blocks of many sizes and pieces of free memory between them, so that what is made from here on has other addresses, in
/// another order: for what this thread allocates.
void csim_scatter_memory(uint64_t seed);
/// Gives the blocks back, on the thread that has them.
void csim_gather_memory(void);

/// Real time, whatever simulation is current.
int64_t csim_real_now(void);

/// Writes text to standard error, past every buffer.
void csim_write_error(const char *text);

/// Installs the executors; defined in Swift, called before main.
extern void csim_install_executors(void);

/// Gives up references to an object of the Swift runtime until `kept` are left.
void csim_drop_references(void *object, size_t kept);

#pragma clang assume_nonnull end
