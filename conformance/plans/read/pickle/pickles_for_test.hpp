// Pickles as Python writes them.
#pragma once
#include <string>

namespace zerocts::read {

/// [None, True, False, 7, 300, -70000, 2**40, 2**70, 1.5, 'w', b'x'], protocol 4
inline std::string PickleOfScalars() {
  return std::string(
      "\200\004\2256\000\000\000\000\000\000\000]\224(N\210\211K\007M,\001J\220\356\376\377\212\006\000\000"
      "\000\000\000\001\212\011\000\000\000\000\000\000\000\000@G\077\370\000\000\000\000\000\000\214\001w"
      "\224C\001x\224e.",
      65);
}

/// {'list': [1, [2]], 'tuple': (1, 2), 'ordered': OrderedDict(a=1, b=2), 'set': {3}}, protocol 5
inline std::string PickleOfContainers() {
  return std::string(
      "\200\005\225j\000\000\000\000\000\000\000}\224(\214\004list\224]\224(K\001]\224K\002ae\214\005tuple"
      "\224K\001K\002\206\224\214\007ordered\224\214\013collections\224\214\013OrderedDict\224\223\224)R"
      "\224(\214\001a\224K\001\214\001b\224K\002u\214\003set\224\217\224(K\003\220u.",
      117);
}

/// {'w': torch.Tensor of shape (3, 5)} as in data.pkl of torch.save, protocol 2
inline std::string PickleOfTensor() {
  return std::string(
      "\200\002}q\000X\001\000\000\000wq\001ctorch._utils\012_rebuild_tensor_v2\012q\002((X\007\000\000\000"
      "storageq\003ctorch\012FloatStorage\012q\004X\001\000\000\0000q\005X\003\000\000\000cpuq\006K\017tq"
      "\007QK\000K\003K\005\206q\010K\005K\001\206q\011\211ccollections\012OrderedDict\012q\012)Rq\013tq"
      "\014Rq\015s.",
      166);
}

/// .metadata of torch DCP: w of shape (4, 3) in two blocks of two rows, protocol 4
inline std::string PickleOfDcpMetadata() {
  return std::string(
      "\200\004\225\206\002\000\000\000\000\000\000\214%torch.distributed.checkpoint.metadata\224\214\010Me"
      "tadata\224\223\224)\201\224}\224(\214\023state_dict_metadata\224}\224\214\001w\224h\000\214\025Tenso"
      "rStorageMetadata\224\223\224)\201\224}\224(\214\012properties\224h\000\214\020TensorProperties\224"
      "\223\224)R\224(\214\005torch\224\214\007float32\224\223\224N\211N\211t\224b\214\004size\224h\020\214"
      "\004Size\224\223\224K\004K\003\206\224\205\224R\224\214\006chunks\224]\224(h\000\214\024ChunkStorage"
      "Metadata\224\223\224)\201\224}\224(\214\007offsets\224h\026K\000K\000\206\224\205\224R\224\214\005si"
      "zes\224h\026K\002K\003\206\224\205\224R\224ubh\035)\201\224}\224(h h\026K\002K\000\206\224\205\224R"
      "\224h$h\026K\002K\003\206\224\205\224R\224ubeubs\214\014planner_data\224N\214\014storage_data\224}"
      "\224(h\000\214\015MetadataIndex\224\223\224)\201\224}\224(\214\003fqn\224h\007\214\006offset\224h"
      "\026K\000K\000\206\224\205\224R\224\214\005index\224Nub\214'torch.distributed.checkpoint.filesystem"
      "\224\214\014_StorageInfo\224\223\224)\201\224}\224(\214\015relative_path\224\214\014__0_0.distcp\224"
      "h8K\000\214\006length\224K\030ubh4)\201\224}\224(h7h\007h8h\026K\002K\000\206\224\205\224R\224h<Nubh"
      "\077)\201\224}\224(hB\214\014__1_0.distcp\224h8K\000hDK\030ubu\214\014storage_meta\224Nub.",
      657);
}

/// data.pkl of a rank of DeepSpeed, stage 2 of 2 ranks: w and b in storage 0 of 6 fp32, protocol 2
inline std::string PickleOfDeepspeedRank() {
  return std::string(
      "\200\002}q\000X\024\000\000\000optimizer_state_dictq\001}q\002(X\012\000\000\000zero_stageq\003cdeep"
      "speed.runtime.zero.config\012ZeroStageEnum\012q\004K\002\205q\005Rq\006X\017\000\000\000partition_co"
      "untq\007]q\010K\002aX\016\000\000\000group_paddingsq\011]q\012K\000aX\037\000\000\000single_partitio"
      "n_of_fp32_groupsq\013]q\014ctorch._utils\012_rebuild_tensor_v2\012q\015((X\007\000\000\000storageq"
      "\016ctorch\012FloatStorage\012q\017X\001\000\000\0000q\020X\003\000\000\000cpuq\021K\006tq\022QK\000"
      "K\006\205q\023K\001\205q\024\211ccollections\012OrderedDict\012q\025)Rq\026tq\027Rq\030aX\024\000"
      "\000\000base_optimizer_stateq\031}q\032X\005\000\000\000stateq\033}q\034K\000}q\035X\007\000\000\000"
      "exp_avgq\036h\015((h\016h\017h\020h\021K\006tq\037QK\000h\023K\001\205q \211h\025)Rq!tq\042Rq#sssX"
      "\024\000\000\000param_slice_mappingsq$]q%h\025)Rq&(X\001\000\000\000wq'cdeepspeed.utils.tensor_fragm"
      "ent\012fragment_address\012q()\201q)}q*(X\005\000\000\000numelq+K\004X\005\000\000\000startq,K\000ub"
      "X\001\000\000\000bq-h()\201q.}q/(h+K\002h,K\004ubuaus.",
      627);
}

}  // namespace zerocts::read
