# The files of SentencePiece 0.2.2's archive that a program with processor and trainer links, as the
# linker's map (-Wl,-Map=FILE) names them, in its folders src, src/builtin_pb,
# third_party/protobuf-lite and third_party/absl.
set(sentencepiece_files
  bpe_model.cc char_model.cc filesystem.cc model_factory.cc model_interface.cc normalizer.cc
  sentencepiece_processor.cc unigram_model.cc util.cc word_model.cc bpe_model_trainer.cc
  builder.cc char_model_trainer.cc pretokenizer_for_training.cc sentencepiece_trainer.cc
  trainer_factory.cc trainer_interface.cc unicode_script.cc unigram_model_trainer.cc
  word_model_trainer.cc)

set(sentencepiece_message_files sentencepiece.pb.cc sentencepiece_model.pb.cc)
set(sentencepiece_protobuf_files
  arena.cc arenastring.cc coded_stream.cc common.cc extension_set.cc generated_enum_util.cc
  generated_message_util.cc implicit_weak_message.cc int128.cc message_lite.cc parse_context.cc
  repeated_field.cc status.cc stringpiece.cc stringprintf.cc structurally_valid.cc strutil.cc
  wire_format_lite.cc zero_copy_stream.cc zero_copy_stream_impl.cc zero_copy_stream_impl_lite.cc)

# crc: which of its files hold code depends on the processor.
set(sentencepiece_abseil_files
  base/internal/cycleclock.cc base/internal/low_level_alloc.cc base/internal/raw_logging.cc
  base/internal/spinlock.cc base/internal/spinlock_wait.cc base/internal/strerror.cc
  base/internal/sysinfo.cc base/internal/thread_identity.cc base/internal/tracing.cc
  base/internal/unscaledcycleclock.cc base/throw_delegate.cc
  container/internal/hashtablez_sampler.cc
  container/internal/hashtablez_sampler_force_weak_definition.cc
  container/internal/raw_hash_set.cc crc/crc32c.cc crc/internal/cpu_detect.cc
  crc/internal/crc.cc crc/internal/crc_cord_state.cc crc/internal/crc_memcpy_fallback.cc
  crc/internal/crc_memcpy_x86_arm_combined.cc crc/internal/crc_non_temporal_memcpy.cc
  crc/internal/crc_x86_arm_combined.cc debugging/internal/address_is_readable.cc
  debugging/internal/decode_rust_punycode.cc debugging/internal/demangle.cc
  debugging/internal/demangle_rust.cc debugging/internal/elf_mem_image.cc
  debugging/internal/examine_stack.cc debugging/internal/vdso_support.cc debugging/leak_check.cc
  debugging/stacktrace.cc debugging/symbolize.cc hash/internal/city.cc hash/internal/hash.cc
  log/globals.cc log/internal/check_op.cc log/internal/globals.cc log/internal/log_format.cc
  log/internal/log_message.cc log/internal/log_sink_set.cc log/internal/nullguard.cc
  log/internal/proto.cc log/internal/structured_proto.cc log/log_sink.cc numeric/int128.cc
  profiling/internal/exponential_biased.cc random/gaussian_distribution.cc
  random/internal/entropy_pool.cc random/internal/randen.cc random/internal/randen_hwaes.cc
  random/internal/randen_round_keys.cc random/internal/randen_slow.cc random/internal/seed_material.cc random/seed_gen_exception.cc
  status/internal/status_internal.cc status/status.cc status/status_builder.cc
  status/status_payload_printer.cc strings/ascii.cc strings/charconv.cc strings/cord.cc
  strings/escaping.cc strings/internal/charconv_bigint.cc strings/internal/charconv_parse.cc
  strings/internal/cord_internal.cc strings/internal/cord_rep_btree.cc
  strings/internal/cord_rep_btree_navigator.cc strings/internal/cord_rep_btree_reader.cc
  strings/internal/cord_rep_consume.cc strings/internal/cord_rep_crc.cc
  strings/internal/cordz_functions.cc strings/internal/cordz_handle.cc
  strings/internal/cordz_info.cc strings/internal/escaping.cc strings/internal/memutil.cc
  strings/internal/ostringstream.cc strings/internal/str_format/arg.cc
  strings/internal/str_format/bind.cc strings/internal/str_format/extension.cc
  strings/internal/str_format/float_conversion.cc strings/internal/str_format/output.cc
  strings/internal/str_format/parser.cc strings/internal/stringify_sink.cc
  strings/internal/utf8.cc strings/match.cc strings/str_cat.cc strings/str_replace.cc
  strings/str_split.cc synchronization/blocking_counter.cc
  synchronization/internal/create_thread_identity.cc synchronization/internal/futex_waiter.cc
  synchronization/internal/kernel_timeout.cc synchronization/internal/per_thread_sem.cc
  synchronization/internal/waiter_base.cc synchronization/mutex.cc time/clock.cc
  time/duration.cc time/internal/cctz/src/time_zone_fixed.cc
  time/internal/cctz/src/time_zone_if.cc time/internal/cctz/src/time_zone_impl.cc
  time/internal/cctz/src/time_zone_info.cc time/internal/cctz/src/time_zone_libc.cc
  time/internal/cctz/src/time_zone_lookup.cc time/internal/cctz/src/zone_info_source.cc
  time/time.cc)

# Each of these has a file-local name that one of the above has too.
set(sentencepiece_abseil_separate_files
  debugging/internal/utf8_for_code_point.cc random/internal/randen_detect.cc strings/numbers.cc
  time/internal/cctz/src/time_zone_posix.cc)
