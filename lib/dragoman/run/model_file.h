#pragma once

namespace dragoman {

/// The files of a checkpoint that make a model.
inline constexpr const char* model_file = "model.safetensors";
inline constexpr const char* config_file = "config.json";
inline constexpr const char* joint_file = "tokenizer.model";
inline constexpr const char* source_file = "tokenizer.source.model";
inline constexpr const char* target_file = "tokenizer.target.model";

/// The file of a checkpoint that says what made it: the state of the training, or of what it was
/// averaged, pruned or converted from.
inline constexpr const char* state_file = "state.json";

/// Beside it: what only training reads, and the validation of that checkpoint.
inline constexpr const char* optimizer_file = "optimizer.safetensors";
inline constexpr const char* validation_file = "validation.json";

/// In a run folder: the checkpoints, the records of the training, and the text as ids, unless
/// another folder is named for it.
inline constexpr const char* checkpoints_folder = "checkpoints";
inline constexpr const char* train_log_file = "train.jsonl";
inline constexpr const char* data_folder = "data";

/// In a run folder and in a folder of text as ids: a process that writes there locks this file.
inline constexpr const char* lock_name = "LOCK";
/// In a folder of text as ids: the checksums of the text.
inline constexpr const char* text_record = "text.json";

/// In a run folder of `distill` and `back-translate`: the text that was translated for it.
inline constexpr const char* synthetic_folder = "synthetic";

/// Keys of the model file's metadata.
inline constexpr const char* version_key = "format_version";
inline constexpr const char* source_key = "source_tokenizer_sha256";
inline constexpr const char* target_key = "target_tokenizer_sha256";
inline constexpr const char* sharing_key = "share_embeddings";
inline constexpr const char* kind_key = "kind";  // absent = translation

}  // namespace dragoman
